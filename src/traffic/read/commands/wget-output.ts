import type { NoReplyReason } from '../../../journal/exchange.ts';
import type { LoggedReply } from '../../logged-exchange.ts';

/** The meaning of a line in the output of wget: lines of HTTP, or an event of the connection. */
export type WgetLine =
  | { readonly kind: 'lines'; readonly lines: readonly string[] }
  /** wget begins an attempt. After a failure, it sends the same request again. */
  | { readonly kind: 'attempt'; readonly time: string; readonly url: string }
  | { readonly kind: 'connected' }
  /** The reply ends. If no body came before this event, wget did not show the body. */
  | { readonly kind: 'done' }
  | { readonly kind: 'failure'; readonly answer: LoggedReply };

const NOTHING: WgetLine = { kind: 'lines', lines: [] };

/** Matches the first line of an attempt, such as `--2026-11-24 09:10:38--  (try: 2)  http://wallet/bet`. */
const ATTEMPT = /^--(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)-- {2}(?:\(try: ?\d{1,6}\) {1,4})?(https?:\/\/\S+)$/;
/** Matches the first line of the headers that `-S` prints. */
const STATUS_LINE = /^ {2}(HTTP\/\d(?:\.\d)? \d{3}(?: .*)?)$/;
const AWAITING = /^(?:HTTP|Proxy) request sent, awaiting response\.\.\. ?(.*)$/;
const CONNECTING = /^(?:Resolving|Connecting to) /;
const FAILED = '... failed: ';
/** Matches the last line of an attempt with a reply. */
const DONE = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d (?:\([^)]{1,40}\) - |ERROR \d{3}: )/;
/** Matches the lines that wget prints about a reply, before and beside its body. */
const ABOUT_REPLY =
  /^(?:Length: |Saving to: |Last-modified header |Registered socket |\d{3} \w|---response end---| {2,20}\d{1,10}K )/;
/** Matches the lines that wget prints about a request. With `-d`, wget prints more lines. */
const ABOUT_REQUEST =
  /^(?:Reusing existing connection |Retrying\.|Giving up\.|wget: |Setting --|DEBUG output created by Wget|---request end---|---response begin---)/;
/** Matches the bar that a terminal shows beside the body. */
const PROGRESS = /^\S{0,80} {1,80}(?:\d{1,3}%)?\[[ =<>+]{0,200}\]([^{]*)/;

/** Reads the lines that wget prints about a request: the headers of the reply (`-S`), the body (`-O -`) and errors. */
export class WgetOutput {
  /** The part of the output to which the next line belongs. Null if the next line is not from wget. */
  #part: 'request' | 'sent request' | 'headers' | 'reply' | null = null;
  #isInBody = false;

  /**
   * Reads a line. Returns undefined if the line is not from wget.
   *
   * @param asked what is known of the request: nothing, only its URL (from the output), or the whole request (from the command)
   */
  take(text: string, asked: 'nothing' | 'url' | 'all'): WgetLine | undefined {
    const isAsked = asked !== 'nothing';
    const line = text.trimEnd();
    const [, time, url] = ATTEMPT.exec(line) ?? [];
    if (time !== undefined && url !== undefined) {
      this.#begin('request');
      return { kind: 'attempt', time, url };
    }
    const status = isAsked ? STATUS_LINE.exec(line)?.[1] : undefined;
    if (status !== undefined) {
      this.#begin('headers');
      return { kind: 'lines', lines: [status] };
    }
    switch (this.#part) {
      case null:
        if (!isAsked || !/^(?:Setting --|DEBUG output created by Wget)/.test(line)) return undefined;
        this.#begin('request');
        return NOTHING;
      case 'request':
        return this.#ofRequest(line, asked === 'all');
      case 'sent request':
        if (line === '---request end---') this.#part = 'request';
        return NOTHING;
      case 'headers':
        if (!isAsked) return this.end();
        if (/^ {2}\S/.test(line)) return { kind: 'lines', lines: [line.trim()] };
        this.#part = 'reply';
        return this.#ofReply(line);
      case 'reply':
        return isAsked || isAfterBody(line) ? this.#ofReply(line) : this.end();
    }
  }

  /** Ends the output, because a new command begins or because the reply was read. */
  end(): undefined {
    this.#part = null;
    return undefined;
  }

  #begin(part: 'request' | 'headers'): void {
    this.#part = part;
    this.#isInBody = false;
  }

  #ofRequest(line: string, isKnown: boolean): WgetLine | undefined {
    if (CONNECTING.test(line)) {
      if (line.endsWith('... connected.')) return { kind: 'connected' };
      const failed = line.indexOf(FAILED);
      if (failed < 0) return NOTHING;
      const why = line.slice(failed + FAILED.length).replace(/\.$/, '');
      return failure(line.startsWith('Resolving') ? 'unresolved' : connectReason(why), why);
    }
    const awaited = AWAITING.exec(line)?.[1]?.trim();
    if (awaited !== undefined) return this.#awaited(awaited);
    if (line === '---request begin---') {
      if (isKnown) this.#part = 'sent request';
      return NOTHING;
    }
    const body = /^\[BODY data: (.*)\]$/.exec(line)?.[1];
    if (body !== undefined) return isKnown ? NOTHING : { kind: 'lines', lines: [body] };
    return ABOUT_REQUEST.test(line) ? NOTHING : /^HTTP\/\d/.test(line) ? this.#debugHeaders(line) : undefined;
  }

  /** With `-d`, the headers of the reply are not indented, and an empty line ends them. */
  #debugHeaders(line: string): WgetLine {
    this.#part = 'reply';
    return { kind: 'lines', lines: [line] };
  }

  #awaited(text: string): WgetLine {
    if (/^\d{3}(?: |$)/.test(text)) {
      this.#part = 'reply';
      return { kind: 'lines', lines: [`HTTP/1.1 ${text}`] };
    }
    return text === '' ? NOTHING : failure(/timed out/i.test(text) ? 'too-late' : replyReason(text), text);
  }

  #ofReply(line: string): WgetLine | undefined {
    if (DONE.test(line)) {
      this.#part = null;
      return { kind: 'done' };
    }
    if (ABOUT_REPLY.test(line)) return NOTHING;
    const bar = PROGRESS.exec(line)?.[0];
    const text = bar === undefined ? line : line.slice(bar.length, line.lastIndexOf('}') + 1);
    // With `wget -d`, the output contains the headers of the reply, each on one line. An empty line follows the last header.
    if (!this.#isInBody && /^[\w-]{1,60}: /.test(text)) return { kind: 'lines', lines: [text] };
    if (text.trim() === '') return this.#isInBody ? { kind: 'lines', lines: [text] } : NOTHING;
    const lines = this.#isInBody ? [text] : ['', text];
    this.#isInBody = true;
    return { kind: 'lines', lines };
  }
}

/** True for a line that wget prints after the body. */
function isAfterBody(line: string): boolean {
  return line === '' || DONE.test(line) || /^ {2,20}\d{1,10}K /.test(line) || PROGRESS.test(line);
}

function failure(reason: NoReplyReason, detail: string): WgetLine {
  return { kind: 'failure', answer: { kind: 'none', reason, detail } };
}

function connectReason(why: string): NoReplyReason {
  if (/refused/i.test(why)) return 'refused';
  return /timed out/i.test(why) ? 'connect-timeout' : 'unreachable';
}

function replyReason(why: string): NoReplyReason {
  return /No data received/i.test(why) ? 'closed-early' : 'reset';
}
