import { changedAccount, list, newAccount, toUserInfo, text, type Account, type ProviderInfo } from './account';
import { AccountError } from './errors';
import { resetPassword, sendOobCode, signInWithEmailLink, updateByCode } from './links';
import type { Operation } from './operation';
import { createSessionCookie, lookupOwn, refresh, signInWithCustomToken } from './sign-in';

type Json = Record<string, unknown>;

const LOOKUP_LIMIT = 100;
const BATCH_LIMIT = 1000;
const DEFAULT_PAGE_SIZE = 20;

/** `POST accounts`. */
const create: Operation = async ({ store }, request) => {
  const account = newAccount(request, new Date());
  await store.create(account);
  const { localId, email, displayName } = account;
  return { kind: 'identitytoolkit#SignupNewUserResponse', localId, email, displayName };
};

/**
 * `POST accounts:lookup`: by id, e-mail address, phone number or provider id. The answer omits users that do not exist.
 */
const lookup: Operation = ({ store }, request) => {
  const federated = Array.isArray(request.federatedUserId) ? (request.federatedUserId as ProviderInfo[]) : [];
  const [ids, emails, phones] = [list(request.localId), list(request.email), list(request.phoneNumber)];
  if (ids.length + emails.length + phones.length + federated.length > LOOKUP_LIMIT) {
    throw new AccountError('INVALID_ARGUMENT : Too many identifiers.');
  }
  const found = [
    ...ids.map((id) => store.find(id)),
    ...emails.map((email) => store.findByEmail(email)),
    ...phones.map((phone) => store.findByPhone(phone)),
    ...federated.map(({ providerId, rawId }) => store.findByProvider(providerId, rawId)),
  ].filter((account) => account !== undefined);
  const users = new Map(found.map((account) => [account.localId, toUserInfo(account)]));
  return { kind: 'identitytoolkit#GetAccountInfoResponse', ...(users.size > 0 && { users: [...users.values()] }) };
};

/** `POST accounts:update`. */
const update: Operation = async ({ store }, request) => {
  const account = await store.update(requiredId(request), (current) => changedAccount(current, request, new Date()));
  return { kind: 'identitytoolkit#SetAccountInfoResponse', ...toUserInfo(account) };
};

/** `POST accounts:delete`. An unknown id is an error. */
const remove: Operation = async ({ store }, request) => {
  await store.remove(requiredId(request));
  return { kind: 'identitytoolkit#DeleteAccountResponse' };
};

/** `POST accounts:batchDelete`. Ignores unknown ids. Without `force`, only disabled accounts are deleted. */
const batchDelete: Operation = async ({ store }, request) => {
  const ids = list(request.localIds);
  if (ids.length === 0 || ids.length > BATCH_LIMIT) throw new AccountError('LOCAL_ID_LIST_EXCEEDS_LIMIT');
  const errors: Json[] = [];
  for (const [index, localId] of ids.entries()) {
    const account = store.find(localId);
    if (account && !account.disabled && request.force !== true) {
      errors.push({ index, localId, message: 'NOT_DISABLED : Disable the account before batch deletion.' });
    } else if (account) {
      await store.remove(localId).catch((error: unknown) => {
        // A concurrent call has deleted the account: the result is the same.
        if (!(error instanceof AccountError)) throw error;
      });
    }
  }
  return errors.length > 0 ? { errors } : {};
};

/**
 * `GET accounts:batchGet`, in the order of the ids. The page token is the last id of the page, so a caller may start
 * after any id. A full page has a token, whether or not another page follows.
 */
const batchGet: Operation = ({ store }, request) => {
  const limit = Math.min(Math.floor(Number(request.maxResults ?? DEFAULT_PAGE_SIZE)), BATCH_LIMIT);
  if (!(limit > 0)) throw new AccountError('INVALID_PAGE_SELECTION');
  const users = store.page(text(request, 'nextPageToken') || undefined, limit);
  return {
    kind: 'identitytoolkit#DownloadAccountResponse',
    ...(users.length > 0 && { users: users.map(toUserInfo) }),
    ...(users.length === limit && { nextPageToken: users.at(-1)!.localId }),
  };
};

/**
 * `POST accounts:batchCreate` (importUsers). Each user succeeds or fails separately. An existing id is replaced unless
 * `allowOverwrite` is false.
 */
const batchCreate: Operation = async ({ store }, request) => {
  const users = (Array.isArray(request.users) ? request.users : []) as Json[];
  if (users.length === 0) throw new AccountError('MISSING_USER_ACCOUNT');
  if (request.sanityCheck === true) assertDistinct(users);
  const error: Json[] = [];
  await Promise.all(
    users.map(async (user, index) => {
      try {
        const account = imported(user);
        await (request.allowOverwrite === false ? store.create(account) : store.put(account));
      } catch (cause) {
        if (!(cause instanceof AccountError)) throw cause;
        error.push({ index, message: cause.message });
      }
    }),
  );
  error.sort((a, b) => Number(a.index) - Number(b.index));
  return { kind: 'identitytoolkit#UploadAccountResponse', ...(error.length > 0 && { error }) };
};

function imported(user: Json): Account {
  const { providerUserInfo = [], passwordHash, salt, createdAt, lastLoginAt, ...rest } = user;
  if (text(rest, 'localId') === undefined) throw new AccountError('MISSING_LOCAL_ID');
  const account = newAccount(rest, new Date());
  const linked = (providerUserInfo as ProviderInfo[])
    .filter(({ providerId }) => providerId !== 'password' && providerId !== 'phone')
    .map((info) => ({ ...info, federatedId: info.rawId }));
  return {
    ...account,
    validSince: account.validSince ?? String(Math.floor(Date.now() / 1000)),
    ...(linked.length > 0 && { linked }),
    ...(typeof passwordHash === 'string' && { passwordHash }),
    ...(typeof salt === 'string' && { salt }),
    ...(createdAt !== undefined && { createdAt: String(Number(createdAt)) }),
    ...(lastLoginAt !== undefined && { lastLoginAt: String(Number(lastLoginAt)) }),
  };
}

/** Throws when an import has a duplicate id or address: the whole import is refused. */
function assertDistinct(users: Json[]): void {
  for (const [field, code] of [
    ['localId', 'DUPLICATE_LOCAL_ID'],
    ['email', 'DUPLICATE_EMAIL'],
  ] as const) {
    const values = users.flatMap((user) => text(user, field)?.toLowerCase() ?? []);
    const duplicate = values.find((value, at) => values.indexOf(value) !== at);
    if (duplicate !== undefined) throw new AccountError(`${code} : ${duplicate}`);
  }
}

function requiredId(request: Json): string {
  const localId = text(request, 'localId');
  if (!localId) throw new AccountError('MISSING_LOCAL_ID');
  return localId;
}

/** The calls that need credentials, by method and the path after `/projects/<project>`. */
export const projectOperations: Record<string, Operation> = {
  'POST /accounts': create,
  'POST /accounts:lookup': lookup,
  'POST /accounts:update': update,
  'POST /accounts:delete': remove,
  'POST /accounts:batchDelete': batchDelete,
  'POST /accounts:batchCreate': batchCreate,
  'GET /accounts:batchGet': batchGet,
  'POST /accounts:sendOobCode': sendOobCode,
  'POST :createSessionCookie': createSessionCookie,
};

/** The calls of clients, which have an API key only, by method and path. */
export const clientOperations: Record<string, Operation> = {
  'POST /identitytoolkit.googleapis.com/v1/accounts:signInWithCustomToken': signInWithCustomToken,
  'POST /identitytoolkit.googleapis.com/v1/accounts:signInWithEmailLink': signInWithEmailLink,
  'POST /identitytoolkit.googleapis.com/v1/accounts:resetPassword': resetPassword,
  'POST /identitytoolkit.googleapis.com/v1/accounts:update': updateByCode,
  'POST /identitytoolkit.googleapis.com/v1/accounts:lookup': lookupOwn,
  'POST /securetoken.googleapis.com/v1/token': refresh,
};
