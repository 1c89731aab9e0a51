import type { ExchangeDetail, ExchangeRow, MessageView } from '../view.ts';
import { act, readDetail } from './api.ts';
import { button, byId, byIdAs, make, timeOf } from './element.ts';

/** The part of the page that shows one exchange in detail. */
export class DetailPane {
  readonly #pane = byId('detail');
  readonly #title = byId('detail-title');
  readonly #body = byId('detail-body');
  readonly #said = byId('detail-said');
  readonly #again = byIdAs('again', HTMLButtonElement);
  readonly #closed: (id: number) => void;
  #id: number | null = null;

  /** @param closed called with the id of the exchange after its details are closed */
  constructor(closed: (id: number) => void) {
    this.#closed = closed;
    byId('detail-close').addEventListener('click', () => this.close());
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
    this.#title.focus({ preventScroll: matchMedia('(min-width: 96rem)').matches });
  }

  /** Loads the shown exchange again. */
  async refresh(): Promise<void> {
    const id = this.#id;
    if (id === null) return;
    const detail = await readDetail(id);
    if (id !== this.#id) return;
    this.#pane.hidden = false;
    if (typeof detail === 'string') {
      this.#title.textContent = 'Exchange';
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
    this.#pane.hidden = true;
    this.#closed(id);
  }

  #parts(detail: ExchangeDetail): readonly Node[] {
    const { row, request, reply, trouble, signature, phases, connection, curl, scenario } = detail;
    const total = Math.round(phases.reduce((sum, { ms }) => sum + ms, 0) * 10) / 10;
    return [
      facts([
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
