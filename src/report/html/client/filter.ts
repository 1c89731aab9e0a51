/** The pause in typing after which the search starts, in milliseconds. */
const PAUSE_MS = 120;

interface Filter {
  readonly clear: () => void;
}

/** A search and the selected filters. */
interface Wanted {
  readonly words: readonly string[];
  readonly verdicts: ReadonlySet<string>;
  readonly money: boolean;
}

const VERDICTS = ['fail', 'inconclusive', 'warn', 'note', 'pass', 'skip', 'untested'];

/**
 * Starts the search and the filters. They hide the scenarios, rules and causes that do not match, say how many match, and scroll
 * to the first one. A scenario or a rule matches if it contains every word of the search and has a selected verdict.
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
  const causes = [...document.querySelectorAll<HTMLElement>('.cause')];
  const chips = [...document.querySelectorAll<HTMLAnchorElement>('.chip')];
  const sections = [...document.querySelectorAll<HTMLElement>('.scenarios, details.group')];
  const inWords = document.querySelector<HTMLDetailsElement>('.words');
  const isPressed = (button: HTMLButtonElement): boolean => button.ariaPressed === 'true';

  const apply = (): void => {
    const verdicts = new Set(buttons.filter(isPressed).map(({ dataset }) => dataset.filter ?? ''));
    const money = verdicts.delete('money');
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const wanted: Wanted = { words, verdicts, money };
    const isFiltered = words.length > 0 || money || verdicts.size > 0;
    for (const scenario of scenarios) {
      const { words: own = '', verdict = '', money: isMoney } = scenario.dataset;
      scenario.hidden = !fits(wanted, own, verdict, isMoney === 'yes');
    }
    for (const item of [...rules, ...causes]) {
      const verdict = VERDICTS.find((name) => item.classList.contains(name)) ?? 'fail';
      item.hidden = isFiltered && !fits(wanted, item.textContent, verdict, item.querySelector('.money') !== null);
    }
    const hiddenRules = new Set(rules.filter(({ hidden }) => hidden).map(({ id }) => id));
    for (const chip of chips) chip.hidden = hiddenRules.has(decodeURIComponent(chip.hash.slice(1)));
    for (const row of document.querySelectorAll<HTMLElement>('.matrix tbody tr'))
      row.hidden = row.querySelector('.chip:not([hidden])') === null;
    for (const section of sections) {
      const own = [...section.querySelectorAll<HTMLElement>('.scenario')].filter(({ hidden }) => !hidden).length;
      section.hidden = isFiltered && own === 0;
      // The groups are folded. A group with a hit is unfolded, so that the user sees the hit.
      if (section instanceof HTMLDetailsElement && isFiltered && own > 0) section.open = true;
      const count = section.querySelector<HTMLElement>('.count');
      if (count) count.textContent = isFiltered ? `${own} of ${count.dataset.all ?? ''}` : (count.dataset.all ?? '');
    }
    const hits = [...causes, ...rules, ...scenarios].filter(({ hidden }) => !hidden);
    shown.textContent = isFiltered ? summary(causes, rules, scenarios) : '';
    if (!isFiltered) return;
    if (inWords && words.length > 0) inWords.open = rules.some(({ hidden }) => !hidden);
    // A rule inside a folded block cannot be seen, so the page does not scroll to this rule.
    const first = hits.find((hit) => hit.closest('details:not([open])') === null || hit.matches('.scenario'));
    first?.scrollIntoView();
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
  return { clear };
}

function fits({ words, verdicts, money }: Wanted, text: string, verdict: string, isMoney: boolean): boolean {
  const own = words.length === 0 ? '' : text.toLowerCase();
  return (
    words.every((word) => own.includes(word)) && (verdicts.size === 0 || verdicts.has(verdict)) && (!money || isMoney)
  );
}

/** Says how many scenarios, rules and causes are left, as in `3 of 70 scenarios · 2 rules · 1 cause`. */
function summary(
  causes: readonly HTMLElement[],
  rules: readonly HTMLElement[],
  scenarios: readonly HTMLElement[],
): string {
  const left = (all: readonly HTMLElement[]): number => all.filter(({ hidden }) => !hidden).length;
  const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;
  const parts = [`${left(scenarios)} of ${counted(scenarios.length, 'scenario')}`, counted(left(rules), 'rule')];
  if (causes.length > 0) parts.push(counted(left(causes), 'cause'));
  return parts.join(' · ');
}
