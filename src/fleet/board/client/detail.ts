import { byId, byIdAs, make } from '../../../pages/client/element.ts';
import type { OperatorDetail, RuleView, RunView } from '../view.ts';
import { readOperator, reportAddress } from './api.ts';
import { momentOf, percent, RUN_VERDICTS } from './words.ts';

/** The sign and the word for each verdict of a rule. */
const RULE_VERDICTS: Readonly<Record<string, readonly [sign: string, word: string, tone: string]>> = {
  fail: ['✗', 'failed', 'fail'],
  inconclusive: ['?', 'undecided', 'undecided'],
  warn: ['!', 'warning', 'warn'],
  pass: ['✓', 'passed', 'pass'],
  note: ['~', 'note', 'pass'],
};

/** The details of one operator, which open over the table. */
export class Detail {
  readonly #dialog = byIdAs('detail', HTMLDialogElement);
  readonly #body = byId('detail-body');
  #name = '';
  /** The shown details as text, to find out whether they have changed. */
  #shown = '';

  /** @param closed called with the name of the operator whose details were closed */
  constructor(closed: (name: string) => void) {
    byId('detail-close').addEventListener('click', () => this.#dialog.close());
    this.#dialog.addEventListener('close', () => {
      this.#body.replaceChildren();
      closed(this.#name);
    });
    // A click beside the dialog is a click on the dialog itself.
    this.#dialog.addEventListener('click', (event) => {
      if (event.target === this.#dialog) this.#dialog.close();
    });
  }

  /** Opens the details of an operator. */
  async show(name: string): Promise<void> {
    this.#name = name;
    this.#shown = '';
    byId('detail-title').textContent = name;
    this.#body.replaceChildren(make('p', { class: 'none', is: { role: 'status' } }, 'Reading the history…'));
    if (!this.#dialog.open) this.#dialog.showModal();
    byId('detail-title').focus();
    await this.refresh();
  }

  /** Reads the details again. Does nothing if they are closed. */
  async refresh(): Promise<void> {
    if (!this.#dialog.open) return;
    const name = this.#name;
    const reading = await readOperator(name);
    if (!this.#dialog.open || name !== this.#name) return;
    const text = JSON.stringify(reading);
    // If nothing has changed, the focus must stay on its link.
    if (text === this.#shown) return;
    this.#shown = text;
    const content =
      reading.kind === 'read' ? contentOf(reading.value) : [make('p', { class: 'note' }, reading.message)];
    this.#body.replaceChildren(...content);
  }
}

function contentOf(detail: OperatorDetail): readonly HTMLElement[] {
  const { latest, rules, runs } = detail;
  if (!latest) return [make('p', { class: 'none' }, 'No run has judged this operator yet.'), ...owedOf(detail)];
  const { sign, tone } = RUN_VERDICTS[latest.verdict];
  return [
    make(
      'p',
      { class: 'line', data: { state: tone } },
      make('strong', {}, `${sign} ${latest.firstLine}`),
      latest.hasReport ? reportLink(latest.number, `Open the report of run ${latest.number}`) : null,
    ),
    ...owedOf(detail),
    facts(detail, latest),
    make('h3', {}, rules.length === 0 ? 'Rules: all that were judged passed' : `Rules that did not pass, or are flaky`),
    make('ul', { class: 'rules' }, ...rules.map(ruleItem)),
    make('h3', {}, 'Runs and load tests of the last 30 days'),
    runs.length === 0 ? make('p', { class: 'none' }, 'None.') : runTable(runs),
  ];
}

function owedOf({ owed }: OperatorDetail): readonly HTMLElement[] {
  return owed.map(({ items, command }) =>
    make(
      'p',
      { class: 'owes' },
      `A run owes ${items} ${items === 1 ? 'item' : 'items'}. `,
      command === null ? 'The next worker that judges the operator settles it.' : 'Settle it on its machine: ',
      command === null ? null : make('code', {}, command),
    ),
  );
}

function facts({ extCID, lastSuccess }: OperatorDetail, latest: NonNullable<OperatorDetail['latest']>): HTMLElement {
  const all = [
    ['Client', extCID],
    ['Operator', latest.operator],
    ['Latest run', `${momentOf(latest.startedAt)}, croupier ${latest.croupier}, contract ${latest.contract}`],
    ['Build', latest.build ?? 'not named'],
    ['Last conforming run', lastSuccess === null ? 'none' : momentOf(lastSuccess)],
  ] as const;
  return make(
    'dl',
    { class: 'facts' },
    ...all.map(([name, value]) => make('div', {}, make('dt', {}, name), make('dd', {}, value))),
  );
}

function ruleItem(rule: RuleView): HTMLElement {
  const [sign, word, tone] = RULE_VERDICTS[rule.verdict ?? ''] ?? ['·', 'not judged', 'none'];
  const chance = chanceOf(rule);
  return make(
    'li',
    { data: { state: tone } },
    make(
      'p',
      {},
      make('strong', {}, `${sign} ${word} `),
      make('code', {}, rule.id),
      rule.money
        ? make('span', { class: 'money', is: { title: 'a breach loses or creates money' } }, ' $ money')
        : null,
    ),
    rule.sentence === null ? null : make('p', { class: 'sentence' }, ...prose(rule.sentence)),
    rule.reason === null ? null : make('p', { class: 'reason' }, rule.reason),
    rule.since ? make('p', { class: 'dim' }, sinceOf(rule, rule.since)) : null,
    chance === '' ? null : make('p', { class: 'dim' }, chance),
  );
}

/** Divides a sentence of the catalogue. Text between backticks becomes code. */
function prose(text: string): readonly (Node | string)[] {
  return text.split('`').map((part, at) => (at % 2 === 0 ? part : make('code', {}, part)));
}

function sinceOf({ differences }: RuleView, { number, startedAt, build }: NonNullable<RuleView['since']>): string {
  const changed = differences.length === 0 ? '' : ` Changed then: ${differences.join(', ')}.`;
  return `Fails since run ${number} (${momentOf(startedAt)}${build === null ? '' : `, build ${build}`}).${changed}`;
}

function chanceOf({ state, flakiness, changed, compared }: RuleView): string {
  if (flakiness !== null && changed > 0)
    return `Flakiness ${percent(flakiness)}: its verdict changed in ${changed} of ${compared} repeated ${compared === 1 ? 'run' : 'runs'} with the same inputs.`;
  return state === 'unclear' ? 'Its verdict changed several times, and the runs name no build.' : '';
}

function runTable(runs: readonly RunView[]): HTMLElement {
  const rows = runs.map(({ number, kind, startedAt, verdict, build, endedEarly, hasReport }) => {
    const { sign, words, tone } = RUN_VERDICTS[verdict];
    const about = [kind === 'load' ? 'load test' : '', endedEarly === null ? '' : `ended early: ${endedEarly}`];
    return make(
      'tr',
      {},
      make('td', {}, hasReport ? reportLink(number, `Run ${number}`) : `Run ${number}`),
      make('td', {}, momentOf(startedAt)),
      make('td', { class: 'state', data: { state: tone } }, `${sign} ${words}`),
      make('td', {}, [build ?? '', ...about].filter(Boolean).join(', ')),
    );
  });
  return make(
    'table',
    { class: 'runs' },
    make(
      'thead',
      {},
      make(
        'tr',
        {},
        ...['Report', 'Started', 'Result', 'Build'].map((text) => make('th', { is: { scope: 'col' } }, text)),
      ),
    ),
    make('tbody', {}, ...rows),
  );
}

function reportLink(run: number, text: string): HTMLElement {
  return make('a', { is: { href: reportAddress(run), target: '_blank', rel: 'noreferrer' } }, text);
}
