import type { Failure } from '../../../client/src/failure';
import { commandLine } from '../command-line';

interface Command {
  purpose: 'signup' | 'login';
  /** The command that sends another code. */
  again: string;
  /** The command that sends the code to the service. */
  next: string;
  email: string;
}

/** Names the command to run next in a failure of the one-time-code calls. The service's hint names its own calls. */
export function explainCode(failure: Failure, { purpose, again, next, email }: Command): Failure {
  const { attemptsRemaining, retryInSeconds } = (failure.details ?? {}) as Record<string, unknown>;
  switch (failure.code) {
    case 'USER_ALREADY_HAS_ORGANIZATION':
      // In a session it is the failure of a change of the address.
      if (purpose !== 'signup') return failure;
      return failure.with({ nextAction: `Log in instead: ${commandLine('login', '--email', email)}` });
    case 'USER_NOT_FOUND':
    case 'USER_HAS_NO_ORGANIZATION':
      return failure.with({ nextAction: `Sign up instead: ${commandLine('signup', '--email', email)}` });
    case 'OTP_NOT_FOUND':
    case 'OTP_EXPIRED':
    case 'OTP_ALREADY_USED':
    case 'OTP_LOCKED_OUT':
    case 'OTP_PURPOSE_MISMATCH':
      return failure.with({ nextAction: `Request a new code: ${again}` });
    case 'OTP_INVALID': {
      const attempts = typeof attemptsRemaining === 'number' ? ` Attempts left: ${attemptsRemaining}.` : '';
      return failure.with({
        message: `${failure.message}${attempts}`,
        nextAction: 'Check the newest mail and try again.',
      });
    }
    case 'OTP_RESEND_COOLDOWN':
      return failure.with({
        nextAction: `Use the code that was sent (${next}), or request a new one in ${String(retryInSeconds)} s.`,
      });
    default:
      return failure;
  }
}
