const SAID_MS = 1500;

/** Starts the buttons that copy the command beside them. */
export function startCopying(): void {
  for (const button of document.querySelectorAll<HTMLButtonElement>('button.copy')) button.hidden = false;
  addEventListener('click', ({ target }) => {
    if (!(target instanceof HTMLButtonElement) || !target.matches('.copy')) return;
    const code = target.parentElement?.querySelector('code');
    if (!code) return;
    void copy(code).then((done) => {
      target.textContent = done ? 'Copied' : 'Marked';
      setTimeout(() => {
        target.textContent = 'Copy';
      }, SAID_MS);
    });
  });
}

/** Copies the text of an element. If the browser refuses (as for a page from disk), the text is selected for copying by hand. */
async function copy(code: Element): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(code.textContent);
    return true;
  } catch {
    getSelection()?.selectAllChildren(code);
    return false;
  }
}
