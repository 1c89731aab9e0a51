import { button, byId, byIdAs, make, timeOf } from '../../../pages/client/element.ts';
import type { ExchangeDetail, ExchangeRow, FindingView, MessageView } from '../view.ts';
import { act, readDetail } from './api.ts';
import { VERDICTS } from './verdicts.ts';

const TITLE = 'Details';
/** Below this width the details cover the whole page, because there is no room beside the list. */
const IS_NARROW = matchMedia('(max-width: 47.99rem)');

/** The part of the page that shows one exchange in detail. */
export class DetailPane {
  readonly #pane = byId('detail');
  readonly #title = byId('detail-title');
  readonly #body = byId('detail-body');
  readonly #said = byId('detail-said');
  readonly #again = byIdAs('again', HTMLButtonElement);
  readonly #close = byIdAs('detail-close', HTMLButtonElement);
  readonly #placeholder = [...byId('detail-body').childNodes];
  readonly #closed: (id: number) => void;
  #id: number | null = null;

  /** @param closed called with the id of the exchange after its details are closed */
  constructor(closed: (id: number) => void) {
    this.#closed = closed;
    this.#close.addEventListener('click', () => this.close());
    IS_NARROW.addEventListener('change', () => this.cover());
    this.#again.addEventListener('click', () => void this.#sendAgain());
    document.addEventListener('keydown', ({ key }) => {
      if (key === 'Escape') this.close();
    });
  }

  get id(): number | null {
    return this.#id;
  }

  /** Shows an exchange and moves the focus to it. */
  async show({ id }: ExchangeRow): Promise<void> {
    this.#id = id;
    this.#said.textContent = '';
    await this.refresh();
    this.#body.scrollTop = 0;
    this.#title.focus();
  }

  /** Loads the shown exchange again. */
  async refresh(): Promise<void> {
    const id = this.#id;
    if (id === null) return;
    const detail = await readDetail(id);
    if (id !== this.#id) return;
    this.#pane.dataset.open = 'true';
    this.#close.hidden = false;
    this.cover();
    if (typeof detail === 'string') {
      this.#title.textContent = TITLE;
      this.#again.hidden = true;
      this.#body.replaceChildren(make('p', { class: 'none' }, detail));
      return;
    }
    this.#title.textContent = `${detail.row.name} ${detail.row.result || 'under way'}`;
    this.#again.hidden = !detail.repeatable;
    this.#body.replaceChildren(...this.#parts(detail));
  }

  close(): void {
    if (this.#id === null) return;
    const id = this.#id;
    this.#id = null;
    this.#pane.dataset.open = 'false';
    this.#title.textContent = TITLE;
    this.#said.textContent = '';
    this.#again.hidden = true;
    this.#close.hidden = true;
    this.#body.replaceChildren(...this.#placeholder);
    this.cover();
    this.#closed(id);
  }

  /**
   * On a narrow page, the details cover all other parts of the page. While they are covered, these parts must not get the
   * focus.
   */
  cover(): void {
    const isCovered = this.#id !== null && IS_NARROW.matches && !byId('exchanges').hidden;
    for (const id of ['top', 'list-pane']) byId(id).inert = isCovered;
  }

  #parts(detail: ExchangeDetail): readonly Node[] {
    const { row, request, reply, trouble, signature, phases, connection, curl, scenario } = detail;
    const total = Math.round(phases.reduce((sum, { ms }) => sum + ms, 0) * 10) / 10;
    return [
      ...judgement(detail),
      make('h3', {}, 'Exchange'),
      facts([
        ['Number', String(row.id)],
        ['Begun', timeOf(row.at)],
        ['Player', row.player],
        ['Client', row.extCID],
        ['Game session', row.gsID],
        ['Round', row.roundID],
        ['Notes', row.notes.join(', ') || null],
      ]),
      make('h3', {}, 'Request'),
      make('p', { class: 'line' }, `${request.method} ${request.url}`),
      ...message(request),
      make('h3', {}, 'Signature as sent'),
      make('p', { class: 'line' }, signature ?? 'none'),
      make('h3', {}, 'Reply'),
      ...(reply ? [make('p', { class: 'line' }, `Status ${reply.status}`), ...message(reply)] : []),
      ...(reply ? [] : [make('p', {}, trouble ?? 'There is no reply yet.')]),
      make('h3', {}, 'Timings'),
      facts([
        ...phases.map(({ name, ms }) => [name, `${ms} ms`] as const),
        ['total', phases.length === 0 ? null : `${total} ms`],
        ['connection', connection],
      ]),
      ...this.#copyable('As a curl command', curl),
      ...this.#copyable('As a scenario', scenario),
    ];
  }

  #copyable(title: string, text: string | null): readonly Node[] {
    if (text === null) return [];
    const copy = async (): Promise<void> => {
      await navigator.clipboard.writeText(text).then(
        () => this.#say('Copied.'),
        () => this.#say('The browser does not allow this page to copy. Select the text and copy it yourself.'),
      );
    };
    return [
      make(
        'details',
        {},
        make('summary', {}, title),
        button('Copy', () => void copy()),
        make('pre', {}, text),
      ),
    ];
  }

  async #sendAgain(): Promise<void> {
    if (this.#id === null) return;
    this.#say((await act('again', { id: this.#id })).message);
  }

  #say(text: string): void {
    this.#said.textContent = text;
  }
}

/** Returns the findings and the balances, or says that the exchange is not judged. */
function judgement({ row, passed, isJudged }: ExchangeDetail): readonly Node[] {
  const { findings, balance, expected, balanceResult, direction, state } = row;
  const title = make('h3', {}, 'Judgement');
  if (direction === 'core')
    return [title, make('p', { class: 'none' }, 'Requests to the Core API are not judged here.')];
  if (!isJudged) {
    const why = state === 'under-way' ? 'The call is still under way.' : 'This call is not judged.';
    return [title, make('p', { class: 'none' }, why)];
  }
  const compared: Readonly<Record<NonNullable<typeof balanceResult>, string>> = {
    right: 'as expected',
    wrong: 'wrong',
    unknown: 'not compared',
  };
  return [
    title,
    findings.length === 0
      ? make('p', { class: 'kept' }, 'This call breaks no rule.')
      : make('ul', { class: 'findings' }, ...groupsOf(findings).map(findingItem)),
    make(
      'div',
      { class: 'balances', data: { result: balanceResult ?? 'unknown' } },
      fact('Balance', balance ?? 'none in the reply'),
      fact('Expected', expected ?? 'not known yet'),
      fact('Result', balanceResult === null ? 'not compared' : compared[balanceResult]),
    ),
    ...(passed.length === 0
      ? []
      : [
          make(
            'details',
            {},
            make('summary', {}, `${passed.length} ${passed.length === 1 ? 'rule' : 'rules'} passed`),
            make('p', {}, passed.join(', ')),
          ),
        ]),
  ];
}

function fact(name: string, value: string): Node {
  return make('p', {}, make('span', { class: 'label' }, name), make('strong', {}, value));
}

/** Returns the findings grouped by rule and verdict, because one fault can break the same rule in several ways. */
function groupsOf(findings: readonly FindingView[]): readonly (readonly FindingView[])[] {
  return [...Map.groupBy(findings, ({ rule, verdict }) => `${verdict} ${rule ?? ''}`).values()];
}

function findingItem(group: readonly FindingView[]): Node | string {
  const [first] = group;
  if (!first) return '';
  const { rule, verdict, sentence, hint, isInjected } = first;
  const { sign, word } = VERDICTS[verdict];
  const texts = new Set(group.map(({ text }) => text));
  return make(
    'li',
    { data: { verdict } },
    make('strong', {}, make('span', { is: { 'aria-hidden': 'true' } }, `${sign} `), `${word} ${rule ?? ''}`.trim()),
    ...[...texts].map((text) => make('span', { class: 'text' }, text)),
    sentence === null ? null : make('span', { class: 'none' }, 'The rule: ', ...withCode(sentence)),
    hint === null ? null : make('span', {}, make('span', { class: 'none' }, 'To fix: '), ...withCode(hint)),
    isInjected ? make('span', {}, 'Nothing to fix: you injected this fault into the reply.') : null,
  );
}

/** Returns a sentence of the rules, in which backticks mark code. */
function withCode(sentence: string): readonly (Node | string)[] {
  return sentence.split('`').map((part, at) => (at % 2 === 0 ? part : make('code', {}, part)));
}

function message({ headers, body, bodyNote }: MessageView): readonly Node[] {
  const lines = headers.map(([name, value]) => make('div', {}, make('dt', {}, name), make('dd', {}, value)));
  const title = `${headers.length} header${headers.length === 1 ? '' : 's'}`;
  return [
    make('details', {}, make('summary', {}, title), make('dl', { class: 'facts' }, ...lines)),
    ...(body === null ? [make('p', { class: 'none' }, 'There is no body.')] : [make('pre', {}, body)]),
    ...(bodyNote === null ? [] : [make('p', { class: 'none' }, bodyNote)]),
  ];
}

/** Returns a list of names and values. Names without a value are left out. */
function facts(all: readonly (readonly [name: string, value: string | null])[]): Node {
  const known = all.filter(([, value]) => value !== null);
  return make(
    'dl',
    { class: 'facts' },
    ...known.map(([name, value]) => make('div', {}, make('dt', {}, name), make('dd', {}, value ?? ''))),
  );
}
