/** What a failed command tells: a message for people, what to do next, and the codes that a script needs. */
interface FailureDetail {
  /** Stable and machine-readable: the service's own code, or one of the client's. */
  code: string;
  nextAction?: string | undefined;
  requestId?: string | undefined;
  details?: object | undefined;
  status?: number | undefined;
  cause?: unknown;
}

/** Exit codes of `deck`. */
export const exitCodes = { failure: 1, usage: 2, interrupted: 130 } as const;

/** An error that was foreseen: it is shown as a message and never as a stack. */
export class Failure extends Error {
  readonly code: string;
  readonly nextAction: string | undefined;
  readonly requestId: string | undefined;
  readonly details: object | undefined;
  /** The HTTP status, when the service answered. */
  readonly status: number | undefined;

  constructor(message: string, { code, nextAction, requestId, details, status, cause }: FailureDetail) {
    super(message, { cause });
    this.name = 'Failure';
    this.code = code;
    this.nextAction = nextAction;
    this.requestId = requestId;
    this.details = details;
    this.status = status;
  }

  get exitCode(): number {
    return this.code === 'usage'
      ? exitCodes.usage
      : this.code === 'interrupted'
        ? exitCodes.interrupted
        : exitCodes.failure;
  }

  /** The same failure in other words, where the command knows better than the service what to say. */
  with(other: { message?: string; nextAction?: string; details?: object }): Failure {
    const { code, requestId, status, cause } = this;
    const { message, nextAction, details } = { ...this, message: this.message, ...other };
    return new Failure(message, { code, nextAction, requestId, details, status, cause });
  }
}

/** The command was called in a way that cannot work: exit code 2. */
export function usageFailure(message: string, nextAction?: string): Failure {
  return new Failure(message, { code: 'usage', nextAction });
}

/** Whether `error` is a failure with one of these codes. */
export function isFailure(error: unknown, ...codes: string[]): error is Failure {
  return error instanceof Failure && (codes.length === 0 || codes.includes(error.code));
}

/** The code of a system error (`ENOENT`, `ECONNRESET`, …), if it has one. */
export function systemCode(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | null | undefined)?.code;
  return typeof code === 'string' ? code : undefined;
}
