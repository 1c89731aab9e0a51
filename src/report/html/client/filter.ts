/** The pause in typing after which the search starts, in milliseconds. */
const PAUSE_MS = 120;

interface Filter {
  readonly clear: () => void;
}

/**
 * Starts the search and the filters, which hide the scenarios and rules that do not match. A scenario matches if it contains
 * every word of the search and has a selected verdict.
 */
export function startFilter(): Filter {
  const tools = document.querySelector<HTMLElement>('.tools');
  const search = document.querySelector<HTMLInputElement>('#search');
  const shown = document.querySelector('#shown');
  if (tools === null || search === null || shown === null) return { clear: () => {} };
  tools.hidden = false;
  const buttons = [...tools.querySelectorAll<HTMLButtonElement>('.filter')];
  const scenarios = [...document.querySelectorAll<HTMLElement>('.scenario')];
  const rules = [...document.querySelectorAll<HTMLElement>('.rule')];
  const isPressed = (button: HTMLButtonElement): boolean => button.ariaPressed === 'true';

  const apply = (): void => {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const chosen = new Set(buttons.filter(isPressed).map(({ dataset }) => dataset.filter ?? ''));
    const money = chosen.delete('money');
    for (const scenario of scenarios) {
      const { words: own = '', verdict = '', money: isMoney } = scenario.dataset;
      const fits =
        words.every((word) => own.toLowerCase().includes(word)) && (chosen.size === 0 || chosen.has(verdict));
      scenario.hidden = !fits || (money && isMoney !== 'yes');
    }
    for (const rule of rules) {
      const own = words.length === 0 ? '' : rule.textContent.toLowerCase();
      rule.hidden =
        !words.every((word) => own.toLowerCase().includes(word)) || (money && rule.querySelector('.money') === null);
    }
    const isFiltered = words.length > 0 || money || chosen.size > 0;
    const left = scenarios.filter(({ hidden }) => !hidden).length;
    shown.textContent = isFiltered ? `${left} of ${scenarios.length} scenarios` : '';
    for (const section of document.querySelectorAll('.scenarios')) {
      const count = section.querySelector<HTMLElement>('.count');
      const own = [...section.querySelectorAll<HTMLElement>('.scenario')].filter(({ hidden }) => !hidden).length;
      if (count) count.textContent = isFiltered ? `${own} of ${count.dataset.all ?? ''}` : (count.dataset.all ?? '');
    }
  };

  let waiting = 0;
  search.addEventListener('input', () => {
    clearTimeout(waiting);
    waiting = setTimeout(apply, PAUSE_MS);
  });
  for (const button of buttons) {
    button.addEventListener('click', () => {
      button.ariaPressed = String(!isPressed(button));
      apply();
    });
  }
  const clear = (): void => {
    search.value = '';
    for (const button of buttons) button.ariaPressed = 'false';
    apply();
  };
  addEventListener('keydown', (event) => {
    if (event.key === 'Escape' && document.activeElement === search) clear();
    if (event.key !== '/' || event.ctrlKey || event.metaKey || document.activeElement instanceof HTMLInputElement)
      return;
    event.preventDefault();
    search.focus();
  });
  apply();
  return { clear };
}
