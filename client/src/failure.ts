/** The parts of a failure beyond its message. */
interface FailureDetail {
  /** Stable, for scripts: a code of the service or of the client. */
  code: string;
  nextAction?: string | undefined;
  requestId?: string | undefined;
  details?: object | undefined;
  status?: number | undefined;
  cause?: unknown;
  reworded?: ReadonlySet<string>;
}

/** An expected error. The user sees its message and the next action, and not a stack. */
export class Failure extends Error {
  readonly code: string;
  readonly nextAction: string | undefined;
  readonly requestId: string | undefined;
  readonly details: object | undefined;
  /** The HTTP status of the service's answer; undefined when there was no answer. */
  readonly status: number | undefined;
  /** `message` or `nextAction`, where `with` has replaced the words of the service. */
  readonly reworded: ReadonlySet<string>;

  constructor(message: string, { code, nextAction, requestId, details, status, cause, reworded }: FailureDetail) {
    super(message, { cause });
    this.name = 'Failure';
    this.code = code;
    this.nextAction = nextAction;
    this.requestId = requestId;
    this.details = details;
    this.status = status;
    this.reworded = reworded ?? new Set();
  }

  /** A copy with another message, next action or details. A command uses it to name its own options and commands. */
  with(other: { message?: string; nextAction?: string; details?: object }): Failure {
    const { code, requestId, status, cause } = this;
    const { message, nextAction, details } = { ...this, message: this.message, ...other };
    const reworded = new Set([...this.reworded, ...Object.keys(other)]);
    return new Failure(message, { code, nextAction, requestId, details, status, cause, reworded });
  }
}

/** A failure for wrong arguments or options. */
export function usageFailure(message: string, nextAction?: string): Failure {
  return new Failure(message, { code: 'usage', nextAction });
}

/** Whether `error` is a failure with one of these codes, or any failure when no code is named. */
export function isFailure(error: unknown, ...codes: string[]): error is Failure {
  return error instanceof Failure && (codes.length === 0 || codes.includes(error.code));
}

/** The code of a system error (`ENOENT`, `ECONNRESET`, …), or undefined. */
export function systemCode(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | null | undefined)?.code;
  return typeof code === 'string' ? code : undefined;
}
