import type { GameView, RoundView } from '../view.ts';
import { byId } from './by-id.ts';
import { outcomeOf, resultOf, type Sentence } from './sentences.ts';
import type { Message, Texts } from './texts/texts.ts';

/** The maximum number of rounds in the list. */
const MAX_ROUNDS = 15;

/** Writes into the page. Text from an operator or a user is always shown as text, never as HTML. */
export class Screen {
  /** For each round, by `roundID`: the state that the last message about the round described. */
  readonly #announced = new Map<string, RoundView['state']>();
  /** The round and state that the last message described. Empty if there was no message; null before the first view. */
  #last: string | null = null;

  /** Shows the parts of the page that do not change during the game. */
  showGame({ game, currency, locale, player, demo, returnUrl }: GameView): void {
    document.title = game.title;
    text('title', game.title);
    document.documentElement.style.setProperty('--hue', String(game.hue));
    byId('demo').hidden = !demo;
    text('about', `${player} · ${currency} · ${locale}`);
    // In a frame, the operator's page around the game has its own way back, so the game shows no link.
    const canGoBack = returnUrl !== null && window.top === window;
    for (const id of ['back', 'closed-back']) link(id, canGoBack ? returnUrl : null);
  }

  /** Writes the parts of the page that are the same in every game, in the language of the game. */
  showLanguage(texts: Texts): void {
    document.documentElement.lang = texts.lang;
    text('back-text', texts.back);
    text('closed-back', texts.backToSite);
    text('balance-name', texts.balance);
    text('demo-title', texts.demo);
    text('demo-text', texts.demoMeaning);
    text('lost', texts.connectionLost);
    text('deposit', texts.deposit);
    text('stake-name', texts.stake);
    text('history-title', texts.yourRounds);
  }

  showBalance({ balance, trouble, currency }: GameView, { unknownBalance }: Texts): void {
    text('balance', balance === null ? (trouble === null ? '…' : unknownBalance) : `${balance} ${currency}`);
  }

  showFree({ free, currency }: GameView, texts: Texts): void {
    byId('stakes').hidden = free !== null;
    byId('free').hidden = free === null;
    if (free === null) return;
    text('free', texts.freeRounds(free.left, `${free.amount} ${currency}`, `${free.won} ${currency}`));
  }

  /**
   * Shows a message about the latest round, once for each state. Rounds that were over before the page was opened get no
   * message. Before the first round, the page says how to begin.
   */
  showOutcome(round: RoundView | undefined, { currency, locale, depositUrl, free }: GameView, texts: Texts): void {
    const isFirst = this.#last === null;
    this.#last ??= '';
    if (isFirst) text('outcome-title', free === null ? texts.chooseStake : texts.startFree);
    if (round === undefined) return;
    const { roundID, state, payout } = round;
    const isOld = isFirst && (state === 'settled' || state === 'declined' || state === 'returned');
    const now = `${roundID} ${state} ${payout?.paid}`;
    if (now === this.#last) return;
    this.#last = now;
    if (!isOld) this.say(outcomeOf(round, currency, texts, this.#announced.get(roundID)), round.message, locale);
    this.#announced.set(roundID, state);
    link('deposit', round.code === 'insufficient_funds' && state === 'declined' && !isOld ? depositUrl : null);
  }

  /**
   * Shows a message below the game.
   *
   * @param words the operator's message, in the player's language; null if there is none
   */
  say({ title, text: more, tone }: Sentence, words: string | null, locale: string): void {
    byId('outcome').dataset.tone = tone;
    text('outcome-title', title);
    text('outcome-text', more);
    const quote = byId('outcome-words');
    quote.hidden = words === null;
    quote.lang = locale.replace('_', '-');
    if (quote.textContent !== (words ?? '')) quote.textContent = words ?? '';
  }

  showRounds({ rounds, currency }: GameView, texts: Texts): void {
    byId('history').hidden = rounds.length === 0;
    byId('rounds').replaceChildren(...rounds.slice(0, MAX_ROUNDS).map((round) => line(round, currency, texts)));
  }

  /** Shows a message instead of the game. */
  close({ title, text: more }: Message): void {
    text('closed-title', title);
    text('closed-text', more);
    byId('closed').hidden = false;
    byId('open').hidden = true;
  }

  showConnection(isConnected: boolean): void {
    byId('lost').hidden = isConnected;
  }
}

function line(round: RoundView, currency: string, texts: Texts): HTMLElement {
  const item = document.createElement('li');
  item.dataset.state = round.state;
  if (round.isWin) item.dataset.win = '';
  const time = document.createElement('time');
  const date = new Date(round.at);
  time.dateTime = date.toISOString();
  time.textContent = date.toTimeString().slice(0, 8);
  const stake = document.createElement('span');
  const amount = `${round.stake} ${currency}`;
  stake.textContent = round.free ? texts.line.free(amount) : texts.line.stake(amount);
  const result = document.createElement('strong');
  result.textContent = resultOf(round, texts);
  item.append(time, ' ', stake, ' ', result);
  return item;
}

/** Writes a text only if it has changed, because a screen reader would read an unchanged text again. */
function text(id: string, value: string): void {
  const element = byId(id);
  if (element.textContent !== value) element.textContent = value;
}

/**
 * Sets the address of a link.
 *
 * @param address an http or https address, checked by the server; null hides the link
 */
function link(id: string, address: string | null): void {
  const element = byId(id) as HTMLAnchorElement;
  element.hidden = address === null;
  if (address !== null) element.href = address;
}
