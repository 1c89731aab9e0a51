const KEPT_AS = 'croupier-report-theme';

/** Starts the button that chooses light or dark. Until the user chooses, the page follows the setting of the system. */
export function startTheme(): void {
  const button = document.querySelector<HTMLButtonElement>('#theme');
  if (button === null) return;
  const root = document.documentElement;
  const system = matchMedia('(prefers-color-scheme: dark)');
  const isDark = (): boolean => (root.dataset.theme ?? (system.matches ? 'dark' : 'light')) === 'dark';
  const label = (): void => {
    button.textContent = isDark() ? 'Light' : 'Dark';
  };
  const kept = remembered();
  if (kept === 'light' || kept === 'dark') root.dataset.theme = kept;
  system.addEventListener('change', label);
  button.addEventListener('click', () => {
    root.dataset.theme = isDark() ? 'light' : 'dark';
    remember(root.dataset.theme);
    label();
  });
  label();
}

// A browser may refuse to store data for a page from disk. In this case, the next two functions do nothing.

function remembered(): string | null {
  try {
    return localStorage.getItem(KEPT_AS);
  } catch {
    return null;
  }
}

function remember(theme: string): void {
  try {
    localStorage.setItem(KEPT_AS, theme);
  } catch {
    // Without storage, the choice lasts until the page is closed.
  }
}
