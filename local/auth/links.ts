import { randomBytes } from 'node:crypto';
import { assertEmail, changedAccount, newAccount, text, toUserInfo } from './account';
import { AccountError } from './errors';
import { requestTypes, type RequestType } from './link-code';
import type { Operation } from './operation';
import { signedInAt } from './sign-in';
import { issueTokens } from './tokens';

/**
 * `POST accounts:sendOobCode` with `returnOobLink`: the Admin SDK mails the link itself. The local Auth sends no mail,
 * so it refuses a call without `returnOobLink`.
 */
export const sendOobCode: Operation = async ({ store, base }, request) => {
  const requestType = text(request, 'requestType');
  if (!requestType || requestType === 'OOB_REQ_TYPE_UNSPECIFIED') throw new AccountError('MISSING_REQ_TYPE');
  if (!isRequestType(requestType)) throw new AccountError('INVALID_REQ_TYPE');
  if (request.returnOobLink !== true) {
    throw new AccountError('OPERATION_NOT_ALLOWED : The local Auth returns links (returnOobLink) and sends no mail.');
  }
  const continueUrl = text(request, 'continueUrl');
  const continueHref = webAddress(continueUrl);
  if (continueUrl && !continueHref) {
    throw new AccountError('INVALID_CONTINUE_URI : The continue URL must be an absolute http(s) address.');
  }
  const email = text(request, 'email')?.toLowerCase();
  if (!email) throw new AccountError('MISSING_EMAIL');
  assertEmail(email);
  const newEmail = requestType === 'VERIFY_AND_CHANGE_EMAIL' ? text(request, 'newEmail')?.toLowerCase() : undefined;
  if (requestType === 'VERIFY_AND_CHANGE_EMAIL') {
    if (!newEmail) throw new AccountError('MISSING_NEW_EMAIL');
    assertEmail(newEmail);
  }
  const account = requestType === 'EMAIL_SIGNIN' ? undefined : store.findByEmail(email);
  if (requestType !== 'EMAIL_SIGNIN' && !account) {
    throw new AccountError(requestType === 'PASSWORD_RESET' ? 'EMAIL_NOT_FOUND' : 'USER_NOT_FOUND');
  }
  if (newEmail && store.findByEmail(newEmail)) throw new AccountError('EMAIL_EXISTS');

  const oobCode = randomBytes(40).toString('base64url');
  const { mode, ttlMs } = requestTypes[requestType];
  await store.putCode(oobCode, {
    requestType,
    email,
    ...(account && { localId: account.localId }),
    ...(newEmail && { newEmail }),
    continueUrl: continueHref ?? null,
    expiresAt: Date.now() + ttlMs,
  });
  const query = new URLSearchParams({ mode, lang: 'en', oobCode, apiKey: 'fake-api-key' });
  if (continueUrl) query.set('continueUrl', continueUrl);
  const oobLink = `${base}/emulator/action?${query.toString()}`;
  return { kind: 'identitytoolkit#GetOobConfirmationCodeResponse', email, oobCode, oobLink };
};

/** `POST accounts:resetPassword`: without a new password, only tells what the code is for. */
export const resetPassword: Operation = async ({ store }, request) => {
  const oobCode = requiredCode(request);
  const newPassword = text(request, 'newPassword');
  const used = newPassword
    ? await store.useCode(oobCode, ['PASSWORD_RESET'], (account) =>
        changedAccount(account, { password: newPassword, emailVerified: true }, new Date()),
      )
    : undefined;
  const code = used?.code ?? store.findCode(oobCode);
  if (!code) throw new AccountError('INVALID_OOB_CODE');
  const { requestType, email, newEmail } = code;
  return {
    kind: 'identitytoolkit#ResetPasswordResponse',
    requestType,
    email: requestType === 'EMAIL_SIGNIN' ? undefined : email,
    newEmail,
  };
};

/** `POST accounts:update` of a client with a code: verifies the address, or changes it. */
export const updateByCode: Operation = async ({ store }, request) => {
  const oobCode = requiredCode(request);
  const types: RequestType[] = ['VERIFY_EMAIL', 'VERIFY_AND_CHANGE_EMAIL'];
  const { account, code } = await store.useCode(oobCode, types, (current, { email, newEmail }) =>
    changedAccount(current, { email: newEmail ?? email, emailVerified: true }, new Date()),
  );
  const { localId, email, emailVerified, providerUserInfo } = toUserInfo(account);
  const { newEmail } = code;
  return {
    kind: 'identitytoolkit#SetAccountInfoResponse',
    localId,
    email,
    newEmail,
    emailVerified,
    providerUserInfo,
  };
};

/** `POST accounts:signInWithEmailLink`. Creates the account of an unknown address. */
export const signInWithEmailLink: Operation = async ({ store, project }, request) => {
  const email = text(request, 'email')?.toLowerCase();
  if (!email) throw new AccountError('MISSING_EMAIL');
  const oobCode = requiredCode(request);
  const now = new Date();
  const { account, isNew } = await store.signInByCode(oobCode, email, (current) => {
    if (current?.disabled) throw new AccountError('USER_DISABLED');
    return {
      ...(current ?? newAccount({ email }, now)),
      ...signedInAt(now),
      emailVerified: true,
      emailLinkSignin: true,
    };
  });
  return {
    kind: 'identitytoolkit#EmailLinkSigninResponse',
    email,
    localId: account.localId,
    isNewUser: isNew,
    ...issueTokens(project, account, 'password', {}, now),
  };
};

/** Where a browser goes that follows a link, and what the page says. */
export interface Followed {
  status: number;
  location?: string;
  message: string;
}

/**
 * `GET /emulator/action`: does what the link is for. A sign-in link passes its code to the continue URL. Only a code
 * that exists redirects, and only to its own continue URL: a page could otherwise redirect to any address.
 */
export async function followLink(context: Parameters<Operation>[0], query: URLSearchParams): Promise<Followed> {
  const [mode, oobCode] = [query.get('mode'), query.get('oobCode') ?? undefined];
  const code = oobCode === undefined ? undefined : context.store.findCode(oobCode);
  const continueUrl = code?.continueUrl;
  const done = (message: string): Followed =>
    continueUrl ? { status: 303, location: continueUrl, message } : { status: 200, message };
  if (mode === 'signIn') {
    if (code?.requestType !== 'EMAIL_SIGNIN') throw new AccountError('INVALID_OOB_CODE');
    if (!continueUrl) return { status: 400, message: 'The link has no continueUrl.' };
    const target = new URL(continueUrl);
    for (const [name, value] of query) if (name !== 'continueUrl') target.searchParams.set(name, value);
    return { status: 302, location: target.href, message: 'Continue to sign in.' };
  }
  if (mode === 'resetPassword') {
    const newPassword = query.get('newPassword');
    if (!newPassword) return { status: 400, message: 'Add &newPassword=… to the address to set the password.' };
    await resetPassword(context, { oobCode, newPassword });
    return done('The password has been changed.');
  }
  if (mode === 'verifyEmail' || mode === 'verifyAndChangeEmail') {
    await updateByCode(context, { oobCode });
    return done(mode === 'verifyEmail' ? 'The address has been verified.' : 'The address has been changed.');
  }
  return { status: 400, message: 'The link has an unknown mode.' };
}

/**
 * The address in ASCII, as a header needs it. Undefined for other schemes: a browser would run a `javascript:` address.
 */
function webAddress(given: string | undefined): string | undefined {
  if (!given || !URL.canParse(given)) return undefined;
  const { protocol, href } = new URL(given);
  return protocol === 'http:' || protocol === 'https:' ? href : undefined;
}

function requiredCode(request: Record<string, unknown>): string {
  const code = text(request, 'oobCode');
  if (!code) throw new AccountError('MISSING_OOB_CODE');
  return code;
}

function isRequestType(value: string): value is RequestType {
  return Object.hasOwn(requestTypes, value);
}
