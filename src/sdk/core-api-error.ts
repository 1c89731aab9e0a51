/** A request to the Core API that was not answered with a success, or not answered at all. */
export class CoreApiError extends Error {
  override readonly name = 'CoreApiError';
  /** The HTTP status; undefined when no whole reply came. */
  readonly status: number | undefined;
  /** One of the contract's codes, such as `locale_not_supported`; undefined when the reply has none. */
  readonly code: string | undefined;
  /** What the Core API says to developers; undefined when the reply has none. */
  readonly details: unknown;

  constructor(
    message: string,
    { status, code, details, cause }: { status?: number; code?: string; details?: unknown; cause?: unknown } = {},
  ) {
    super(message, cause === undefined ? undefined : { cause });
    this.status = status;
    this.code = code;
    this.details = details;
  }
}
