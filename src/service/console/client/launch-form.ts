import { byId, byIdAs, make, offer } from '../../../pages/client/element.ts';
import type { LaunchChoices, SessionChoice } from '../view.ts';
import { act, read } from './api.ts';

/** The form that launches a game. The console sends the request that the operator's backend would send. */
export class LaunchForm {
  readonly #client = byIdAs('launch-client', HTMLSelectElement);
  readonly #session = byIdAs('launch-session', HTMLInputElement);
  readonly #player = byIdAs('launch-player', HTMLInputElement);
  readonly #currency = byIdAs('launch-currency', HTMLInputElement);
  readonly #game = byIdAs('launch-game', HTMLSelectElement);
  readonly #locale = byIdAs('launch-locale', HTMLSelectElement);
  readonly #mode = byIdAs('launch-mode', HTMLSelectElement);
  #choices: LaunchChoices = { clients: [], locales: [] };

  constructor() {
    this.#client.addEventListener('change', () => this.#offer());
    this.#session.addEventListener('input', () => this.#fill());
    byId('launch-form').addEventListener('submit', (event) => {
      event.preventDefault();
      void this.#launch();
    });
  }

  /** Loads the values that the form offers. */
  async load(): Promise<void> {
    const choices = await read<LaunchChoices>('choices');
    if (choices === null) return;
    this.#choices = choices;
    offer(
      this.#client,
      choices.clients.map(({ extCID }) => [extCID, extCID]),
    );
    offer(
      this.#locale,
      choices.locales.map((locale) => [locale, locale]),
    );
    this.#offer();
  }

  focus(): void {
    this.#session.focus();
  }

  #offer(): void {
    const { games = [], currencies = [], sessions = [] } = this.#chosen() ?? {};
    offer(
      this.#game,
      games.map((game) => [game, game]),
    );
    byId('launch-sessions').replaceChildren(...sessions.map(sessionOption));
    byId('launch-currencies').replaceChildren(...currencies.map((code) => make('option', { is: { value: code } })));
    const [first] = sessions;
    if (first && this.#session.value === '') {
      this.#session.value = first.sessionID;
      this.#fill();
    }
  }

  /** Fills in the player, the currency and the game of the entered session, as far as they are known. */
  #fill(): void {
    const known = this.#chosen()?.sessions.find(({ sessionID }) => sessionID === this.#session.value);
    if (!known) return;
    if (known.player !== null) this.#player.value = known.player;
    if (known.currency !== null) this.#currency.value = known.currency;
    if (known.gameID !== null) this.#game.value = known.gameID;
  }

  #chosen(): LaunchChoices['clients'][number] | undefined {
    return this.#choices.clients.find(({ extCID }) => extCID === this.#client.value);
  }

  async #launch(): Promise<void> {
    const said = byId('launch-said');
    said.textContent = 'Under way…';
    const { message, gameURL } = await act('launches', {
      extCID: this.#client.value,
      sessionID: this.#session.value.trim(),
      player: this.#player.value.trim(),
      currency: this.#currency.value.trim(),
      locale: this.#locale.value,
      gameID: this.#game.value,
      demo: this.#mode.value === 'demo',
    });
    said.replaceChildren(message);
    if (gameURL === undefined) return;
    said.append(' ', make('a', { is: { href: gameURL, target: '_blank', rel: 'noopener' } }, 'Open the game'));
  }
}

function sessionOption({ sessionID, player, currency, gameID }: SessionChoice): Node {
  const about = [player, currency, gameID].filter((one) => one !== null).join(', ');
  return make('option', { is: { value: sessionID } }, about);
}
