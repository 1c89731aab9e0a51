const SAID_MS = 1500;

/** Buttons that copy the line before them. */
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

/** Where a browser refuses the clipboard to a page from disk, the line is marked, so that it can be copied by hand. */
async function copy(code: Element): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(code.textContent);
    return true;
  } catch {
    getSelection()?.selectAllChildren(code);
    return false;
  }
}
