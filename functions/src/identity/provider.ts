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

/** The id of the user who has the address at the identity provider, or undefined. */
export async function findIdentity(email: string): Promise<string | undefined> {
  const { getAuth } = await import('firebase-admin/auth');
  return retrying('Auth', isTransient, async () => {
    try {
      return (await getAuth(firebaseApp()).getUserByEmail(email)).uid;
    } catch (error) {
      if (hasCode(error, 'auth/user-not-found')) return undefined;
      throw error;
    }
  });
}

/**
 * Gives an identity the address. An identity that has the address is deleted when `isOrphan` says that it has no
 * account: a signup that failed leaves one. Idempotent.
 */
export async function setIdentityEmail(
  userId: string,
  email: string,
  isOrphan: (userId: string) => Promise<boolean>,
): Promise<void> {
  const holder = await findIdentity(email);
  if (holder === userId) return;
  if (holder !== undefined) {
    if (!(await isOrphan(holder))) throw new Error('Another account has the address at the identity provider.');
    await deleteIdentity(holder);
  }
  const { getAuth } = await import('firebase-admin/auth');
  await retrying('Auth', isTransient, () => getAuth(firebaseApp()).updateUser(userId, { email, emailVerified: true }));
}

/** Deletes an identity. Nothing happens when there is none. */
export async function deleteIdentity(userId: string): Promise<void> {
  const { getAuth } = await import('firebase-admin/auth');
  await retrying('Auth', isTransient, async () => {
    try {
      await getAuth(firebaseApp()).deleteUser(userId);
    } catch (error) {
      if (!hasCode(error, 'auth/user-not-found')) throw error;
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
