/**
 * Turns the packed calls of a scenario into elements. The HTML in a pack is safe, because it was escaped when the report was
 * created.
 */
async function unpack(scenario: Element): Promise<void> {
  const later = scenario.querySelector<HTMLElement>('script.later');
  if (later === null) return;
  later.classList.remove('later');
  const template = document.createElement('template');
  template.innerHTML = await unpacked(later.textContent);
  for (const button of template.content.querySelectorAll('button')) button.hidden = false;
  // The reader may already have unfolded calls of the short list. The new list keeps them unfolded.
  scenario.querySelector('.scriptless')?.remove();
  later.replaceWith(template.content);
}

async function unpacked(base64: string): Promise<string> {
  const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
  return new Response(stream).text();
}

/**
 * Scrolls the charts of balances in a scenario to their first wrong balance, because a small screen shows only a part of a chart.
 */
function showWrongBalances(scenario: Element): void {
  for (const chart of scenario.querySelectorAll<HTMLElement>('.chart .wide')) {
    const wrong = chart.querySelector<SVGCircleElement>('circle.off');
    if (wrong) chart.scrollLeft = wrong.cx.baseVal.value - chart.clientWidth / 2;
  }
}

/**
 * Unpacks the calls of a scenario when it is opened. Of the scenarios that are open when the page is loaded, unpacks only those
 * near the visible part of the page.
 */
export function startUnfolding(): void {
  // The event `toggle` does not bubble. So it is handled in the capture phase, before it reaches its element.
  addEventListener(
    'toggle',
    ({ target }) => {
      if (!(target instanceof HTMLDetailsElement) || !target.open || !target.matches('.scenario')) return;
      showWrongBalances(target);
      void unpack(target);
    },
    true,
  );
  const near = new IntersectionObserver(
    (entries) => {
      for (const { isIntersecting, target } of entries) {
        if (!isIntersecting) continue;
        near.unobserve(target);
        showWrongBalances(target);
        void unpack(target);
      }
    },
    { rootMargin: '1000px' },
  );
  for (const scenario of document.querySelectorAll('.scenario[open]')) near.observe(scenario);
  addEventListener('click', ({ target }) => {
    if (!(target instanceof SVGElement)) return;
    const { scenario } = target.dataset;
    if (scenario) location.hash = encodeURIComponent(`scenario-${scenario}`).replaceAll('%2F', '/');
  });
}

/**
 * Finds the element that the part of an address after `#` names, and unfolds everything around it. Returns null if there is no
 * such element.
 */
export async function follow(hash: string): Promise<Element | null> {
  const id = decoded(hash.slice(1));
  if (id === '') return null;
  const target = (await unpackedFor(id)) ?? document.getElementById(id);
  for (let at: Element | null = target; at !== null; at = at.parentElement) {
    if (at instanceof HTMLDetailsElement) at.open = true;
  }
  return target;
}

/** Finds a call in a scenario whose calls are still packed, and unpacks them. */
async function unpackedFor(id: string): Promise<Element | null> {
  const call = /^call-(.+)$/.exec(id)?.[1];
  if (call === undefined) return null;
  for (const later of document.querySelectorAll<HTMLElement>('script.later')) {
    if (!later.dataset.calls?.split(' ').includes(call)) continue;
    const scenario = later.closest('.scenario');
    if (scenario === null) return null;
    await unpack(scenario);
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
