/**
 * Returns the identity provider's user of a verified address, created when missing. Racing calls for one address get
 * the same user.
 */
export async function ensureIdentity(
  email: string,
  displayName: string,
): Promise<{ userId: string; isNewUser: boolean }> {
  const { getAuth } = await import('firebase-admin/auth');
  const auth = getAuth();
  const find = async () => ({ userId: (await auth.getUserByEmail(email)).uid, isNewUser: false });
  try {
    return await find();
  } catch (error) {
    if (!hasCode(error, 'auth/user-not-found')) throw error;
  }
  try {
    return { userId: (await auth.createUser({ email, displayName, emailVerified: true })).uid, isNewUser: true };
  } catch (error) {
    if (!hasCode(error, 'auth/email-already-exists')) throw error;
    return find();
  }
}

const hasCode = (error: unknown, code: string) => (error as { code?: unknown } | null)?.code === code;
