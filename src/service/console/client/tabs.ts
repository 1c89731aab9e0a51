import { byId } from '../../../pages/client/element.ts';

const NAMES = ['exchanges', 'actions', 'rounds', 'sessions', 'owed', 'operator'] as const;

/** The parts of the console, of which one is shown at a time. */
export type TabName = (typeof NAMES)[number];

/** From this width on, the actions are shown beside the other parts, and have no tab. */
const IS_WIDE = matchMedia('(min-width: 75rem)');

/** The tabs at the top of the page. */
export class Tabs {
  readonly #changed: () => void;
  #selected: TabName = 'exchanges';

  /** @param changed called after another part is shown */
  constructor(changed: () => void) {
    this.#changed = changed;
    for (const name of NAMES) {
      const tab = byId(`tab-${name}`);
      tab.addEventListener('click', () => this.show(name));
      tab.addEventListener('keydown', (event) => this.#move(event));
    }
    // These parts scroll as a whole, so the keyboard must reach them even if they contain no control.
    for (const name of ['rounds', 'sessions', 'owed']) byId(name).tabIndex = 0;
    IS_WIDE.addEventListener('change', () => this.#draw());
    this.#draw();
  }

  /** Shows a part of the page. */
  show(name: TabName): void {
    // On a wide page, the actions are always shown, so there is nothing to select.
    if (name === 'actions' && IS_WIDE.matches) return;
    this.#selected = name;
    this.#draw();
    // On a phone, the row of tabs can be wider than the page.
    byId(`tab-${name}`).scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }

  #draw(): void {
    if (IS_WIDE.matches && this.#selected === 'actions') this.#selected = 'exchanges';
    byId('tab-actions').hidden = IS_WIDE.matches;
    for (const name of NAMES) {
      const isSelected = name === this.#selected;
      const tab = byId(`tab-${name}`);
      tab.setAttribute('aria-selected', String(isSelected));
      tab.tabIndex = isSelected ? 0 : -1;
      byId(name).hidden = !isSelected && !(name === 'actions' && IS_WIDE.matches);
    }
    // Without a tab, the actions are an ordinary part of the page.
    byId('actions').setAttribute('role', IS_WIDE.matches ? 'group' : 'tabpanel');
    this.#changed();
  }

  /** Moves the focus between the tabs with the arrow keys, as the pattern for tabs requires (WAI-ARIA). */
  #move(event: KeyboardEvent): void {
    const shown = NAMES.filter((name) => !byId(`tab-${name}`).hidden);
    const at = shown.indexOf(this.#selected);
    const to =
      event.key === 'ArrowRight'
        ? shown[(at + 1) % shown.length]
        : event.key === 'ArrowLeft'
          ? shown.at(at - 1)
          : event.key === 'Home'
            ? shown[0]
            : event.key === 'End'
              ? shown.at(-1)
              : undefined;
    if (to === undefined) return;
    event.preventDefault();
    this.show(to);
    byId(`tab-${to}`).focus();
  }
}
