import { open, type Database, type RootDatabase } from 'lmdb';
import type { Account } from './account';
import { AccountError, userNotFound } from './errors';

/** A unique key of an account besides its id: at most one account has a given handle. */
type Handle = ['email', string] | ['phone', string] | ['provider', string, string];

const conflictCodes: Record<Handle[0], string> = {
  email: 'EMAIL_EXISTS',
  phone: 'PHONE_NUMBER_EXISTS',
  provider: 'FEDERATED_USER_ID_ALREADY_LINKED',
};

/**
 * Accounts by id, e-mail address, phone number and provider id. Every write is one atomic transaction, serialised with
 * all others, and on disk before its promise resolves. A transaction that throws writes nothing.
 */
export class AccountStore {
  readonly #root: RootDatabase;
  readonly #accounts: Database<Account, string>;
  readonly #handles: Database<string, Handle>;

  constructor(folder: string) {
    // With overlappingSync off, a transaction's promise resolves when the data is flushed, not only visible.
    this.#root = open({ path: folder, noSubdir: false, overlappingSync: false });
    this.#accounts = this.#root.openDB({ name: 'accounts' });
    this.#handles = this.#root.openDB({ name: 'handles' });
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
    return this.#root.transaction(() => {
      if (this.find(account.localId)) throw new AccountError('DUPLICATE_LOCAL_ID');
      this.#write(undefined, account);
    });
  }

  /** Creates the account, or replaces the account with the same id. Throws like `create` for a handle in use. */
  put(account: Account): Promise<void> {
    return this.#root.transaction(() => this.#write(this.find(account.localId), account));
  }

  /** Replaces the account with the result of `change`. Throws USER_NOT_FOUND and the errors of `change`. */
  update(localId: string, change: (current: Account) => Account): Promise<Account> {
    return this.#root.transaction(() => {
      const current = this.find(localId);
      if (!current) throw userNotFound();
      const changed = change(current);
      this.#write(current, changed);
      return changed;
    });
  }

  /** Throws USER_NOT_FOUND. */
  remove(localId: string): Promise<void> {
    return this.#root.transaction(() => {
      const current = this.find(localId);
      if (!current) throw userNotFound();
      for (const handle of handlesOf(current)) void this.#handles.remove(handle);
      void this.#accounts.remove(localId);
    });
  }

  /** Up to `limit` accounts in the order of their ids, starting after the id `after`. */
  page(after: string | undefined, limit: number): Account[] {
    const range = this.#accounts.getRange({
      ...(after !== undefined && { start: after, exclusiveStart: true }),
      limit,
    });
    return [...range].map(({ value }) => value);
  }

  close(): Promise<void> {
    return this.#root.close();
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
    for (const handle of previous ? handlesOf(previous) : []) void this.#handles.remove(handle);
    for (const handle of handles) void this.#handles.put(handle, account.localId);
    void this.#accounts.put(account.localId, account);
  }
}

function handlesOf(account: Account): Handle[] {
  const handles: Handle[] = (account.linked ?? []).map(({ providerId, rawId }) => ['provider', providerId, rawId]);
  if (account.email !== undefined) handles.push(['email', account.email]);
  if (account.phoneNumber !== undefined) handles.push(['phone', account.phoneNumber]);
  return handles;
}
