import type { GameView } from '../view.ts';
import { byId } from './by-id.ts';
import { type Answer, follow, playRound, readState } from './connection.ts';
import { Ladder } from './ladder.ts';
import { Screen } from './screen.ts';
import { Stakes } from './stakes.ts';
import { textsOf } from './texts/by-locale.ts';
import type { RefusalCode } from './texts/texts.ts';

/** The maximum delay of a browser's timer, in milliseconds. */
const MAX_WAIT_MS = 2 ** 31 - 1;
const RETRY_MS = 2000;

const gsID = new URLSearchParams(location.search).get('gsID') ?? '';
const screen = new Screen();
const ladder = new Ladder();
const play = byId('play');
const stakes = new Stakes(showPlay);

let latest: GameView | undefined;
let texts = textsOf('');
/** True from the start of a round until its outcome is shown. */
let isBusy = false;
let expiry: ReturnType<typeof setTimeout> | undefined;

/** Shows a new view. During a round the view is only stored, and is shown when the round is over. */
function receive(view: GameView): void {
  if (latest !== undefined && view.version < latest.version) return;
  latest = view;
  if (!isBusy) show(view);
}

function show(view: GameView): void {
  texts = textsOf(view.locale);
  screen.showLanguage(texts);
  stakes.name(texts);
  screen.showGame(view);
  screen.showBalance(view, texts);
  screen.showRounds(view, texts);
  if (view.expired) {
    screen.close(texts.expired);
    return;
  }
  byId('open').hidden = false;
  ladder.offer(view.game.multipliers);
  stakes.offer(view);
  screen.showFree(view, texts);
  const [last] = view.rounds;
  if (!view.playing) screen.showOutcome(last, view, texts);
  if (last === undefined && view.balance === null && view.trouble !== null) {
    screen.say({ title: texts.balanceNotRead, text: '', tone: 'bad' }, view.trouble, view.locale);
  }
  showPlay();
  clearTimeout(expiry);
  expiry = setTimeout(() => void load(), Math.min(MAX_WAIT_MS, view.expiresInMs + 50));
}

function showPlay(): void {
  if (latest === undefined) return;
  const { free, playing, currency } = latest;
  const label = free === null ? texts.playFor(`${stakes.chosen} ${currency}`) : texts.playFree;
  play.textContent = isBusy || playing ? texts.playing : label;
  // `aria-disabled` is used because a button with `disabled` would lose the keyboard focus in every round.
  play.setAttribute('aria-disabled', String(isBusy || playing));
}

async function playOnce(): Promise<void> {
  if (latest === undefined || latest.expired || latest.playing || isBusy) return;
  isBusy = true;
  showPlay();
  const { locale } = latest;
  screen.say({ title: texts.playing, text: '', tone: 'calm' }, null, locale);
  ladder.start();
  const answer = await playRound(gsID, stakes.chosen);
  const round =
    answer.kind === 'view' ? answer.view.rounds.find(({ roundID }) => roundID === answer.roundID) : undefined;
  await ladder.stop(round?.multiplier ?? null, round?.isWin ?? false);
  isBusy = false;
  if (answer.kind === 'view') receive(answer.view);
  if (latest !== undefined) show(latest);
  if (answer.kind !== 'view') showTrouble(answer, locale);
}

function showTrouble(answer: Exclude<Answer, { kind: 'view' }>, locale: string): void {
  if (answer.kind === 'refused') {
    const { code, message } = answer;
    const title = isRefusalCode(code) ? texts.refused[code] : message;
    screen.say({ title, text: '', tone: 'bad' }, null, locale);
    void load();
    return;
  }
  screen.say({ ...texts.noAnswer, tone: 'bad' }, null, locale);
}

function isRefusalCode(code: string | null): code is RefusalCode {
  return code !== null && Object.hasOwn(texts.refused, code);
}

/**
 * Loads and shows the current view, and tries again until the server answers.
 *
 * @returns false if the game session does not exist
 */
async function load(): Promise<boolean> {
  const answer = await readState(gsID);
  screen.showConnection(answer.kind !== 'lost');
  switch (answer.kind) {
    case 'view':
      receive(answer.view);
      return true;
    case 'refused':
      if (answer.status === 404) {
        screen.close(texts.notFound);
        return false;
      }
      break;
    case 'lost':
      break;
  }
  await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
  return load();
}

play.addEventListener('click', () => void playOnce());
// Space and Enter play a round if no element has the focus.
document.addEventListener('keydown', (event) => {
  const isPlay = event.key === 'Enter' || event.key === ' ';
  if (!isPlay || event.repeat || event.target !== document.body) return;
  event.preventDefault();
  void playOnce();
});

if (await load()) {
  follow(gsID, { heard: receive, connected: (isConnected) => screen.showConnection(isConnected), ended: load });
}
