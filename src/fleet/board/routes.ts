import { type Handler, jsonReply, type ListenReply, type ListenRequest } from '../../listen/message.ts';
import type { Route } from '../../listen/routes.ts';
import { Guard, type GuardOptions } from '../../pages/guard.ts';
import { pageFile, type ReadPage, securityHeaders } from '../../pages/page-http.ts';
import type { Board } from './board.ts';

/** The report of a run as a page, and the content policy of this page. */
export interface ReportPage {
  readonly html: string;
  readonly policy: string;
}

export interface BoardRoutesOptions extends Omit<GuardOptions, 'name'> {
  readonly board: Board;
  readonly readPage: ReadPage;
  /** Makes the report of a run. Returns undefined if there is no such run, or if its journal is no longer stored. */
  readonly reportOf: (run: number) => Promise<ReportPage | undefined>;
}

const BASE = '/board';
const FILES = ['board.js', 'board.css', 'icon.svg'];

/**
 * Returns the routes of the board at `/board/?token=…`, of its requests below `/board/api`, and of the reports at
 * `/board/run`.
 *
 * @throws Error when the pages are not built
 */
export function boardRoutes(options: BoardRoutesOptions): readonly Route[] {
  const { board, readPage, reportOf } = options;
  const guard = new Guard({ ...options, name: 'board' });
  const file = (name: string): Handler => {
    const reply = pageFile(readPage, name, 'forbidden');
    return () => reply;
  };
  const get = (path: string, handler: Handler): Route => ({ method: 'GET', path: `${BASE}${path}`, handler });
  return [
    get('/', guard.page(file('board.html'))),
    get(
      '',
      guard.atOwnHost(({ query }) => movedTo(`${BASE}/`, query)),
    ),
    ...FILES.map((name) => get(`/${name}`, guard.atOwnHost(file(name)))),
    get('/api/overview', guard.api(readable(async (request) => overview(board, request)))),
    get('/api/operator', guard.api(readable(async (request) => operator(board, request)))),
    get(
      '/run',
      guard.page(async (request) => reportReply(await reportOf(numberOf(request)))),
    ),
  ];
}

/** Answers 503 with the reason if the history can't be read, so that the page can show the reason. */
function readable(handler: (request: ListenRequest) => Promise<ListenReply>): Handler {
  return async (request) => {
    try {
      return await handler(request);
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      return jsonReply(503, { message: `The history can't be read: ${why}` }, HEADERS);
    }
  };
}

async function overview(board: Board, request: ListenRequest): Promise<ListenReply> {
  const view = await board.overview();
  const known = new URLSearchParams(request.query).get('version');
  return jsonReply(200, known === view.version ? { version: known, now: view.now } : view, HEADERS);
}

async function operator(board: Board, request: ListenRequest): Promise<ListenReply> {
  const detail = await board.operator(new URLSearchParams(request.query).get('name') ?? '');
  return detail
    ? jsonReply(200, detail, HEADERS)
    : jsonReply(404, { message: 'The fleet has no operator with this name.' }, HEADERS);
}

function numberOf({ query }: ListenRequest): number {
  const text = new URLSearchParams(query).get('number') ?? '';
  return /^[1-9]\d{0,14}$/.test(text) ? Number(text) : 0;
}

function reportReply(page: ReportPage | undefined): ListenReply {
  if (!page) {
    const headers = [...HEADERS, ['Content-Type', 'text/plain; charset=utf-8']] as const;
    return { status: 404, headers, body: NO_REPORT };
  }
  const own = HEADERS.filter(([name]) => name !== 'Content-Security-Policy');
  const policy = `${page.policy}; frame-ancestors 'none'`;
  return {
    status: 200,
    headers: [...own, ['Content-Security-Policy', policy], ['Content-Type', 'text/html; charset=utf-8']],
    body: page.html,
  };
}

const NO_REPORT =
  'There is no report of this run: the history has no such run, or its journal is no longer stored. The history keeps the journals of the latest runs (key history in croupier.yaml) and of pinned runs (croupier history pin).\n';
const HEADERS = securityHeaders('forbidden');

function movedTo(path: string, query: string): ListenReply {
  const location = query === '' ? path : `${path}?${query}`;
  return { status: 308, headers: [...HEADERS, ['Location', location]], body: '' };
}
