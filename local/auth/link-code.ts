/** A code of a link that was made for a mail. */
export interface LinkCode {
  requestType: RequestType;
  email: string;
  /** The only account that may use the code. Absent for EMAIL_SIGNIN. */
  localId?: string;
  /** Only for a change of the address. */
  newEmail?: string;
  /** The http(s) address where the link ends, or null. */
  continueUrl: string | null;
  /** Milliseconds. */
  expiresAt: number;
}

export type RequestType = keyof typeof requestTypes;

const HOUR_MS = 3600 * 1000;

/** The `mode` of the link and how long the cloud accepts its code. */
export const requestTypes = {
  PASSWORD_RESET: { mode: 'resetPassword', ttlMs: HOUR_MS },
  VERIFY_EMAIL: { mode: 'verifyEmail', ttlMs: 72 * HOUR_MS },
  VERIFY_AND_CHANGE_EMAIL: { mode: 'verifyAndChangeEmail', ttlMs: 72 * HOUR_MS },
  EMAIL_SIGNIN: { mode: 'signIn', ttlMs: 6 * HOUR_MS },
} as const;
