const SAID_MS = 1500;

/** Shows the buttons for copying. A click on a button copies the command beside it. */
export function startCopying(): void {
  for (const button of document.querySelectorAll<HTMLButtonElement>('button.copy')) button.hidden = false;
  addEventListener('click', ({ target }) => {
    if (!(target instanceof HTMLButtonElement) || !target.matches('.copy')) return;
    const code = target.parentElement?.querySelector('code');
    if (!code) return;
    const label = target.textContent;
    void copy(code).then((done) => {
      target.textContent = done ? 'Copied' : 'Marked';
      setTimeout(() => {
        target.textContent = label;
      }, SAID_MS);
    });
  });
}

/**
 * Copies the text of an element and returns true. If the browser refuses, as it may for a page from disk, selects the text for
 * copying by hand and returns false.
 */
async function copy(code: Element): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(code.textContent);
    return true;
  } catch {
    // Hidden text can't be selected.
    if (code instanceof HTMLElement) code.hidden = false;
    getSelection()?.selectAllChildren(code);
    return false;
  }
}
