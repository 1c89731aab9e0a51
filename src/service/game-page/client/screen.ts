import type { GameView, RoundView } from '../view.ts';
import { byId } from './by-id.ts';
import { outcomeOf, resultOf, type Sentence } from './sentences.ts';

/** So many rounds are listed. */
const MOST_ROUNDS = 15;

/** Writes into the page. Everything is written as text: what an operator or a user says is never markup. */
export class Screen {
  /** How each round was told of last. */
  readonly #told = new Map<string, RoundView['state']>();
  /** What was told last; null before the first view. */
  #last: string | null = null;

  /** What is the same from view to view. */
  showGame({ game, currency, locale, player, demo, returnUrl }: GameView): void {
    document.title = game.title;
    text('title', game.title);
    document.documentElement.style.setProperty('--hue', String(game.hue));
    byId('demo').hidden = !demo;
    text('about', `${player} · ${currency} · ${locale}`);
    // Within the page of an operator, going back is that page's business.
    const canGoBack = returnUrl !== null && window.top === window;
    for (const id of ['back', 'closed-back']) link(id, canGoBack ? returnUrl : null);
  }

  showBalance({ balance, trouble, currency }: GameView): void {
    text('balance', balance === null ? (trouble === null ? '…' : 'not known') : `${balance} ${currency}`);
  }

  showFree({ free, currency }: GameView): void {
    byId('stakes').hidden = free !== null;
    byId('free').hidden = free === null;
    if (free === null) return;
    const rounds = free.left === 1 ? 'one free round' : `${free.left} free rounds`;
    text('free', `You have ${rounds} of ${free.amount} ${currency} each. Won so far: ${free.won} ${currency}.`);
  }

  /** Tells of the round that was played last, unless that was told before. Old ones that are over are no news to anybody. */
  showOutcome(round: RoundView | undefined, { currency, locale, depositUrl }: GameView): void {
    const isFirst = this.#last === null;
    this.#last ??= '';
    if (round === undefined) return;
    const { roundID, state, payout } = round;
    const isOld = isFirst && (state === 'settled' || state === 'declined' || state === 'returned');
    const now = `${roundID} ${state} ${payout?.paid}`;
    if (now === this.#last) return;
    this.#last = now;
    if (!isOld) this.tell(outcomeOf(round, currency, this.#told.get(roundID)), round.message, locale);
    this.#told.set(roundID, state);
    link('deposit', round.code === 'insufficient_funds' && state === 'declined' && !isOld ? depositUrl : null);
  }

  /** @param words what the operator said, in the player's language */
  tell({ title, text: more, tone }: Sentence, words: string | null, locale: string): void {
    byId('outcome').dataset.tone = tone;
    text('outcome-title', title);
    text('outcome-text', more);
    const quote = byId('outcome-words');
    quote.hidden = words === null;
    quote.lang = locale.replace('_', '-');
    if (quote.textContent !== (words ?? '')) quote.textContent = words ?? '';
  }

  showRounds({ rounds, currency }: GameView): void {
    byId('history').hidden = rounds.length === 0;
    byId('rounds').replaceChildren(...rounds.slice(0, MOST_ROUNDS).map((round) => line(round, currency)));
  }

  /** Puts a notice in the place of the game. */
  close(title: string, more: string): void {
    text('closed-title', title);
    text('closed-text', more);
    byId('closed').hidden = false;
    byId('open').hidden = true;
  }

  showConnection(isConnected: boolean): void {
    byId('lost').hidden = isConnected;
  }
}

function line(round: RoundView, currency: string): HTMLElement {
  const item = document.createElement('li');
  item.dataset.state = round.state;
  if (round.isWin) item.dataset.win = '';
  const time = document.createElement('time');
  const date = new Date(round.at);
  time.dateTime = date.toISOString();
  time.textContent = date.toTimeString().slice(0, 8);
  const stake = document.createElement('span');
  stake.textContent = `${round.free ? 'Free round of' : 'Stake'} ${round.stake} ${currency}`;
  const result = document.createElement('strong');
  result.textContent = resultOf(round);
  item.append(time, ' ', stake, ' ', result);
  return item;
}

/** The same text again would be read aloud again. */
function text(id: string, value: string): void {
  const element = byId(id);
  if (element.textContent !== value) element.textContent = value;
}

/** @param address http or https, as the server has seen to; null hides the link */
function link(id: string, address: string | null): void {
  const element = byId(id) as HTMLAnchorElement;
  element.hidden = address === null;
  if (address !== null) element.href = address;
}
