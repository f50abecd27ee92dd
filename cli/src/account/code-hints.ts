import type { Failure } from '../failure';

/** A failure of the one-time-code calls, with the command to run next in place of the service's hint about its own calls. */
export function explainCode(failure: Failure, { again, email }: { again: string; email: string }): Failure {
  const { attemptsRemaining, retryInSeconds } = (failure.details ?? {}) as Record<string, unknown>;
  switch (failure.code) {
    case 'USER_ALREADY_HAS_ORGANIZATION':
      return failure.with({ nextAction: `Log in instead: deck login --email ${email}` });
    case 'USER_NOT_FOUND':
    case 'USER_HAS_NO_ORGANIZATION':
      return failure.with({ nextAction: `Sign up instead: deck signup --email ${email}` });
    case 'OTP_NOT_FOUND':
    case 'OTP_EXPIRED':
    case 'OTP_ALREADY_USED':
    case 'OTP_LOCKED_OUT':
    case 'OTP_PURPOSE_MISMATCH':
      return failure.with({ nextAction: `Ask for a fresh code: ${again}` });
    case 'OTP_INVALID': {
      const tries = typeof attemptsRemaining === 'number' ? ` Tries left: ${attemptsRemaining}.` : '';
      return failure.with({
        message: `${failure.message}${tries}`,
        nextAction: 'Check the newest mail and try again.',
      });
    }
    case 'OTP_RESEND_COOLDOWN':
      return failure.with({
        nextAction: `Use the code that was sent (${again} --code <code>), or ask again in ${String(retryInSeconds)} s.`,
      });
    case 'MAX_API_KEYS_REACHED':
      return failure.with({
        nextAction: 'Revoke keys that are not used any more in the dashboard, then log in again.',
      });
    default:
      return failure;
  }
}
