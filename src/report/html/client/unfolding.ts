/**
 * Turns the exchanges of a scenario from text into elements. The text is safe, because it was escaped when the report was
 * created.
 */
function unpack(scenario: Element): void {
  const later = scenario.querySelector('script.later');
  if (later === null) return;
  const template = document.createElement('template');
  template.innerHTML = later.textContent;
  for (const button of template.content.querySelectorAll('button')) button.hidden = false;
  scenario.querySelector('.listing')?.remove();
  later.replaceWith(template.content);
}

export function startUnfolding(): void {
  // The event `toggle` does not bubble, so it is handled in the capture phase.
  addEventListener(
    'toggle',
    ({ target }) => {
      if (target instanceof HTMLDetailsElement && target.open && target.matches('.scenario')) unpack(target);
    },
    true,
  );
  for (const scenario of document.querySelectorAll('.scenario[open]')) unpack(scenario);
}

/**
 * Finds the element that the part of an address after `#` names, and unfolds everything around it. Returns null if there is no
 * such element.
 */
export function follow(hash: string): Element | null {
  const id = decoded(hash.slice(1));
  if (id === '') return null;
  const target = document.getElementById(id) ?? unpackedFor(id);
  for (let at: Element | null = target; at !== null; at = at.parentElement) {
    if (at instanceof HTMLDetailsElement) at.open = true;
  }
  return target;
}

/**
 * Finds a call in a scenario whose exchanges are still stored as text, and turns all exchanges of this scenario into HTML
 * elements.
 */
function unpackedFor(id: string): Element | null {
  for (const later of document.querySelectorAll('script.later')) {
    if (!later.textContent.includes(`id="${id}"`)) continue;
    const scenario = later.closest('.scenario');
    if (scenario === null) return null;
    unpack(scenario);
    return document.getElementById(id);
  }
  return null;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
