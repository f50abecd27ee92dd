import { retrying } from '../deadlines';
import { firebaseApp } from '../firebase-app';

interface Identity {
  userId: string;
  isNewUser: boolean;
}

/**
 * Returns the identity provider's user of a verified address, created when missing. Racing calls for one address get
 * the same user. Makes up to 3 attempts: a repeated attempt finds the user whose creation was not acknowledged.
 */
export async function ensureIdentity(email: string, displayName: string): Promise<Identity> {
  const { getAuth } = await import('firebase-admin/auth');
  const auth = getAuth(firebaseApp());
  let hasTried = false;
  return retrying('Auth', isTransient, async () => {
    // An earlier attempt of this call may have created the user.
    const isNewUser = hasTried;
    const find = async () => ({ userId: (await auth.getUserByEmail(email)).uid, isNewUser });
    try {
      return await find();
    } catch (error) {
      if (!hasCode(error, 'auth/user-not-found')) throw error;
    }
    hasTried = true;
    try {
      return { userId: (await auth.createUser({ email, displayName, emailVerified: true })).uid, isNewUser: true };
    } catch (error) {
      if (!hasCode(error, 'auth/email-already-exists')) throw error;
      return find();
    }
  });
}

/** Codes of the library for a provider that is busy, that failed, or that the network did not reach. */
const transientCodes = new Set([
  'app/network-error',
  'app/network-timeout',
  'app/unable-to-parse-response',
  'auth/internal-error',
  'auth/too-many-requests',
]);
const isTransient = (error: unknown) => transientCodes.has(String(codeOf(error)));
const hasCode = (error: unknown, code: string) => codeOf(error) === code;
const codeOf = (error: unknown) => (error as { code?: unknown } | null)?.code;
