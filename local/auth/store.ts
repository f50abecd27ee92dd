import { type Codec, textCodec } from '../data/codecs';
import { DataFile } from '../data/data-file';
import type { Table } from '../data/table';
import type { Account } from './account';
import { AccountError, userNotFound } from './errors';
import type { LinkCode } from './link-code';

/** A unique key of an account besides its id: at most one account has a given handle. */
type Handle = ['email', string] | ['phone', string] | ['provider', string, string];

const conflictCodes: Record<Handle[0], string> = {
  email: 'EMAIL_EXISTS',
  phone: 'PHONE_NUMBER_EXISTS',
  provider: 'FEDERATED_USER_ID_ALREADY_LINKED',
};

const CODES_PER_SWEEP = 10;

/**
 * Accounts by id, e-mail address, phone number and provider id. Every write is atomic, serialised with all others, and
 * on disk before its promise resolves. Throws DiskError when the disk is full.
 */
export class AccountStore {
  readonly #data: DataFile;
  readonly #accounts: Table<string, Account>;
  readonly #handles: Table<Handle, string>;
  readonly #codes: Table<string, LinkCode>;
  /** The code at which the next search for expired codes continues. */
  #lastSwept: string | undefined;

  constructor(folder: string, isTemporary: boolean) {
    const tables = ['accounts', 'handles', 'codes'];
    this.#data = DataFile.open(folder, { store: 'auth', tables, isTemporary });
    this.#accounts = this.#data.table('accounts', textCodec<Account>());
    this.#handles = this.#data.table('handles', handleCodec);
    this.#codes = this.#data.table('codes', textCodec<LinkCode>());
    this.#data.ready();
  }

  find(localId: string): Account | undefined {
    return this.#accounts.get(localId);
  }

  findByEmail(email: string): Account | undefined {
    return this.#findBy(['email', email.toLowerCase()]);
  }

  findByPhone(phoneNumber: string): Account | undefined {
    return this.#findBy(['phone', phoneNumber]);
  }

  findByProvider(providerId: string, rawId: string): Account | undefined {
    return this.#findBy(['provider', providerId, rawId]);
  }

  /** Throws DUPLICATE_LOCAL_ID, EMAIL_EXISTS, PHONE_NUMBER_EXISTS. */
  create(account: Account): Promise<void> {
    return this.#data.write(() => {
      if (this.find(account.localId)) throw new AccountError('DUPLICATE_LOCAL_ID');
      this.#write(undefined, account);
    });
  }

  /** Creates the account, or replaces the account with the same id. Throws like `create` for a handle in use. */
  put(account: Account): Promise<void> {
    return this.#data.write(() => this.#write(this.find(account.localId), account));
  }

  /** Replaces the account with the result of `change`. Throws USER_NOT_FOUND and the errors of `change`. */
  update(localId: string, change: (current: Account) => Account): Promise<Account> {
    return this.#data.write(() => {
      const current = this.find(localId);
      if (!current) throw userNotFound();
      const changed = change(current);
      this.#write(current, changed);
      return changed;
    });
  }

  /** Creates the account or replaces it with the result of `change`. Throws the errors of `change`. */
  upsert(localId: string, change: (current?: Account) => Account): Promise<{ account: Account; isNew: boolean }> {
    return this.#data.write(() => {
      const current = this.find(localId);
      const account = change(current);
      this.#write(current, account);
      return { account, isNew: current === undefined };
    });
  }

  /** Also deletes the expired codes among the next CODES_PER_SWEEP stored codes, so that they do not accumulate. */
  putCode(id: string, code: LinkCode): Promise<void> {
    return this.#data.write(() => {
      const after = this.#lastSwept;
      const next = [
        ...this.#codes.range({
          ...(after !== undefined && { start: after, exclusiveStart: true }),
          limit: CODES_PER_SWEEP,
        }),
      ];
      for (const { key, value } of next) if (value.expiresAt <= Date.now()) this.#codes.remove(key);
      this.#lastSwept = next.length === CODES_PER_SWEEP ? next.at(-1)!.key : undefined;
      this.#codes.put(id, code);
    });
  }

  async deleteExpiredCodes(): Promise<void> {
    const expired = [...this.#codes.range()].filter(({ value }) => value.expiresAt <= Date.now());
    await this.#data.write(() => expired.forEach(({ key }) => this.#codes.remove(key)));
  }

  /** A code that has neither expired nor been used, and whose account has the code's address. */
  findCode(id: string): LinkCode | undefined {
    const code = this.#codes.get(id);
    if (!code || code.expiresAt <= Date.now()) return undefined;
    return code.requestType === 'EMAIL_SIGNIN' || this.#accountOf(code) ? code : undefined;
  }

  #accountOf({ email, localId }: LinkCode): Account | undefined {
    const account = this.findByEmail(email);
    return localId === undefined || account?.localId === localId ? account : undefined;
  }

  /**
   * Changes the account of the code, and deletes the code in the same transaction. Throws INVALID_OOB_CODE,
   * USER_DISABLED and the errors of `change`, which keep the code.
   */
  useCode(
    id: string,
    types: LinkCode['requestType'][],
    change: (current: Account, code: LinkCode) => Account,
  ): Promise<{ code: LinkCode; account: Account }> {
    return this.#data.write(() => {
      const code = this.findCode(id);
      const current = code && this.#accountOf(code);
      if (!code || !current || !types.includes(code.requestType)) throw new AccountError('INVALID_OOB_CODE');
      if (current.disabled) throw new AccountError('USER_DISABLED');
      const account = change(current, code);
      this.#write(current, account);
      this.#codes.remove(id);
      return { code, account };
    });
  }

  /** Like `useCode`, for a link to sign in: the account need not exist. Throws INVALID_EMAIL for another address. */
  signInByCode(
    id: string,
    email: string,
    change: (current?: Account) => Account,
  ): Promise<{ account: Account; isNew: boolean }> {
    return this.#data.write(() => {
      const code = this.findCode(id);
      if (code?.requestType !== 'EMAIL_SIGNIN') throw new AccountError('INVALID_OOB_CODE');
      if (code.email !== email) {
        throw new AccountError('INVALID_EMAIL : The email provided does not match the sign-in email address.');
      }
      const current = this.findByEmail(email);
      const account = change(current);
      this.#write(current, account);
      this.#codes.remove(id);
      return { account, isNew: current === undefined };
    });
  }

  /** Deletes the account and its codes: a later account may have the same id and address. Throws USER_NOT_FOUND. */
  remove(localId: string): Promise<void> {
    return this.#data.write(() => {
      const current = this.find(localId);
      if (!current) throw userNotFound();
      for (const { key, value: code } of [...this.#codes.range()]) {
        if (code.localId === localId) this.#codes.remove(key);
      }
      for (const handle of handlesOf(current)) this.#handles.remove(handle);
      this.#accounts.remove(localId);
    });
  }

  /** Up to `limit` accounts in the order of their ids, starting after the id `after`. */
  page(after: string | undefined, limit: number): Account[] {
    const range = this.#accounts.range({
      ...(after !== undefined && { start: after, exclusiveStart: true }),
      limit,
    });
    return [...range].map(({ value }) => value);
  }

  /** Compares the accounts with their addresses, numbers and provider ids: a sentence for each difference. */
  *problems(): Generator<string> {
    let expected = 0;
    for (const { key, value: account } of this.#accounts.range()) {
      const handles = handlesOf(account);
      expected += handles.length;
      if (account.localId !== key || handles.some((handle) => this.#handles.get(handle) !== key)) {
        yield `Auth: the account ${key} cannot be found by all its addresses.`;
      }
    }
    const found = [...this.#handles.keys()].length;
    if (found > expected) yield `Auth: ${found - expected} addresses have no account.`;
  }

  close(): Promise<void> {
    return this.#data.close();
  }

  #findBy(handle: Handle): Account | undefined {
    const localId = this.#handles.get(handle);
    return localId === undefined ? undefined : this.find(localId);
  }

  /** Call inside a transaction only. All checks precede the first write. */
  #write(previous: Account | undefined, account: Account): void {
    const handles = handlesOf(account);
    for (const handle of handles) {
      const holder = this.#handles.get(handle);
      if (holder !== undefined && holder !== account.localId) throw new AccountError(conflictCodes[handle[0]]);
    }
    for (const handle of previous ? handlesOf(previous) : []) this.#handles.remove(handle);
    for (const handle of handles) this.#handles.put(handle, account.localId);
    this.#accounts.put(account.localId, account);
  }
}

const handleCodec: Codec<Handle, string> = {
  ...textCodec<string>(),
  encodeKey: (handle) => Buffer.from(JSON.stringify(handle)),
  decodeKey: (bytes) => JSON.parse(bytes.toString('utf8')) as Handle,
};

function handlesOf(account: Account): Handle[] {
  const handles: Handle[] = (account.linked ?? []).map(({ providerId, rawId }) => ['provider', providerId, rawId]);
  if (account.email !== undefined) handles.push(['email', account.email]);
  if (account.phoneNumber !== undefined) handles.push(['phone', account.phoneNumber]);
  return handles;
}
