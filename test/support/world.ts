import { randomUUID } from 'node:crypto';
import { initializeApp } from 'firebase-admin/app';
import { getFirestore, type Firestore } from 'firebase-admin/firestore';
import type { EndpointDefinition } from '../../functions/src/http/definition';
import { errorsOf } from '../../functions/src/http/errors-of';
import * as deployed from '../../functions/src/index';
import type { Plan } from '../../functions/src/policy/plans';
import { createAdminKey } from '../../functions/src/records/api-keys';
import { invite, recordFirstUse } from '../../functions/src/records/collaborators';
import { createDashboardSession, type NewSession } from '../../functions/src/records/dashboard-sessions';
import { readIn } from '../../functions/src/records/database';
import { presentationRef } from '../../functions/src/records/presentations';
import { recipientKey } from '../../functions/src/records/recipient-key';
import { closeDatabase } from '../../functions/src/records/sdk';
import { transact } from '../../functions/src/records/transact';
import { userRef } from '../../functions/src/records/users';
import { patientTimeouts } from '../../emulators/timeouts';
import { startLocalCloud, type LocalCloud } from '../../local';
import { requestLocally } from './deck-origin';
import { watchAnswers } from './documented';
import { manifestRow, sha256, storeAccount, storeDeck, type Account, type Deck, type DeckFile } from './stored';

export { manifestRow, sha256, type Account, type Deck, type DeckFile } from './stored';

export interface Answered<T = Record<string, never>> {
  status: number;
  headers: Headers;
  /** The whole body. */
  body: { success: boolean; data?: T; error?: ErrorBody };
  /** `data` of a success. Throws when the call failed. */
  data: T;
  /** `error` of a failure. Throws when the call succeeded. */
  error: ErrorBody;
}

export interface ErrorBody {
  code: string;
  message: string;
  nextAction?: string;
  status?: number;
  requestId: string;
  serverVersion?: number;
  details?: Record<string, unknown> & { errors?: { location: string; message: string }[]; missing?: string[] };
}

interface CallOptions {
  key?: string | undefined;
  method?: string;
  headers?: Record<string, string>;
  query?: Record<string, string>;
  /** The path behind the function's name, as it is sent. */
  path?: string;
}

type Functions = Record<string, { definition?: EndpointDefinition }>;

/** The time limits of the functions in milliseconds. */
const PATIENCE = {
  ATTEMPT_TIMEOUT_MS: '50000',
  CALL_TIMEOUT_MS: '100000',
  BODY_TIMEOUT_MS: '100000',
  PREVIEW_PATIENCE_MS: '100000',
  VIEW_PATIENCE_MS: '100000',
};

/** Where files are uploaded to. */
export type Target = { presentationId: string } | { sessionId: string };
type Mail = { id: string; subject: string; text: string; html: string; to: string[] };
type Session = { sessionId: string; presentationId: string; missing: string[] };

/** The real functions over a new local cloud, with helpers that make accounts and decks. */
export class World {
  private constructor(
    readonly cloud: LocalCloud,
    readonly functions: Functions,
    /** Reads and writes documents directly, without the functions. */
    readonly database: Firestore,
    private readonly deviations: ReadonlySet<string>,
  ) {}

  /** With `deckOrigin: false`, decks have no origins of their own, as with `npm start -- --no-deck-origin`. */
  static async start(options: { platformLimits?: boolean; deckOrigin?: boolean } = {}): Promise<World> {
    // Backends and clients that are slow on a busy machine fail no test. Tests of the time limits set their own.
    for (const [name, value] of Object.entries(PATIENCE)) process.env[name] ??= value;
    const deviations = new Set<string>();
    const functions = watchAnswers(deployed as unknown as Functions, deviations);
    // Another Firestore server, such as Google's emulator, in place of the local engine (docs/emulators.md).
    const otherFirestore = process.env['TEST_FIRESTORE_HOST'];
    const cloud = await startLocalCloud({
      ...options,
      ephemeral: true,
      // The other server outlives this world. A project of its own has no data of earlier worlds.
      ...(otherFirestore && { project: `demo-${randomUUID().slice(0, 13)}` }),
      loadFunctions: () => Promise.resolve(functions),
    });
    if (otherFirestore) Object.assign(process.env, { FIRESTORE_EMULATOR_HOST: otherFirestore, ...patientTimeouts });
    // The helpers call as many clients. With one trusted hop the functions read the client's address from
    // X-Forwarded-For.
    process.env['TRUSTED_PROXY_HOPS'] = '1';
    const database = getFirestore(initializeApp({ projectId: cloud.project }, 'test'));
    world = new World(cloud, functions, database, deviations);
    return world;
  }

  /** Ends the cloud. Fails when a function answered otherwise than the API reference describes. */
  async stop(): Promise<void> {
    // An open client would keep all modules of this test file in memory. One that still listens or waits is left open.
    void closeDatabase().catch(() => {});
    await this.database.terminate();
    await this.cloud.close();
    expect([...this.deviations]).toEqual([]);
  }

  /** Calls an endpoint over HTTP. Fails when the endpoint does not declare the answer. */
  async call<T = Record<string, unknown>>(name: string, body?: unknown, options: CallOptions = {}) {
    const definition = this.functions[name]?.definition;
    if (!definition) throw new Error(`There is no function ${name}.`);
    const url = new URL(`${this.cloud.baseUrl}/${name}${options.path ?? ''}`);
    for (const [key, value] of Object.entries(options.query ?? {})) url.searchParams.set(key, value);
    const response = await fetch(url, {
      method: options.method ?? [definition.method].flat()[0]!,
      headers: {
        ...(options.key && { authorization: `Bearer ${options.key}` }),
        ...(body !== undefined && !(body instanceof FormData) && { 'content-type': 'application/json' }),
        ...options.headers,
      },
      ...(body !== undefined && {
        body: body instanceof FormData ? body : typeof body === 'string' ? body : JSON.stringify(body),
      }),
    });
    return read<T>(response, definition);
  }

  /** The newest code that the service mailed to an address. */
  async mailedCode(email: string): Promise<string> {
    const [mail] = await this.mails(email);
    const code = /\b\d{6}\b/.exec(mail?.text ?? '')?.[0];
    if (!code) throw new Error(`No code was mailed to ${email}.`);
    return code;
  }

  /** The token in the link of that mail. */
  async codeLink(email: string): Promise<string> {
    const [mail] = await this.mails(email);
    return /\/codes\/([\w-]+)/.exec(mail!.text)![1]!;
  }

  async mails(to: string): Promise<Mail[]> {
    const response = await fetch(`${this.cloud.mailUrl}/messages?to=${encodeURIComponent(to)}`);
    return ((await response.json()) as { messages: Mail[] }).messages;
  }

  /** An account and its first key, written into the store. */
  anOwner(plan: Plan = 'free'): Promise<Account> {
    return storeAccount(this.cloud, plan);
  }

  /** An account whose key has the scope for publishing, as keys made at the dashboard can have. */
  aPublisher(plan: Plan = 'free'): Promise<Account> {
    return storeAccount(this.cloud, plan, ['marketplace:publish']);
  }

  async anAdmin(): Promise<string> {
    const { raw } = await transact((tx) =>
      Promise.resolve(createAdminKey(tx, { name: 'operator', expiresInDays: null }, new Date())),
    );
    return raw;
  }

  /**
   * Uses the key of an account. The service notes the use of a key once a minute, so the next calls write nothing for
   * their key; `passSeconds(0)` makes sure of that minute.
   */
  async useKey({ key }: Pick<Account, 'key'>): Promise<void> {
    await this.call('verifyApiKey', undefined, { key });
  }

  /** The secrets of a dashboard session of that account, written as a login writes it. */
  aLogin({ userId, organizationId }: Account): Promise<NewSession> {
    const of = { userId, organizationId, device: 'a program' };
    return transact((tx) => Promise.resolve(createDashboardSession(tx, of, new Date())));
  }

  /** The token of such a session. */
  async aDashboardSession(account: Account): Promise<string> {
    return (await this.aLogin(account)).token;
  }

  async aSession({ key }: Account, hashes: string[] = []): Promise<Session> {
    return (await this.call<Session>('precheckAssets', { hashes }, { key })).data;
  }

  upload(owner: Account, target: Target, file: DeckFile, changes: Record<string, string> = {}) {
    const form = new FormData();
    const fields = { ...target, sha256: sha256(file.bytes), contentType: file.contentType, ...changes };
    for (const [name, value] of Object.entries(fields)) form.append(name, value);
    form.append('file', new Blob([new Uint8Array(file.bytes)]), 'file');
    return this.call<{ sha256: string; size: number }>('uploadPresentationAsset', form, { key: owner.key });
  }

  /** A deck with those files, written into the store. */
  aDeck(owner: Account, files: DeckFile[] = [page()], title = 'A deck'): Promise<Deck> {
    return storeDeck(this.cloud, owner, files, title);
  }

  /** A deck with those files, pushed as a client pushes it. */
  async aPushedDeck(owner: Account, files: DeckFile[] = [page()], title = 'A deck'): Promise<Deck> {
    const { sessionId } = await this.aSession(owner);
    await this.uploadAll(owner, { sessionId }, files);
    return (await this.commit<Deck>(owner, { sessionId, title }, files)).data;
  }

  async uploadAll(owner: Account, target: Target, files: DeckFile[]): Promise<void> {
    const distinct = [...new Map(files.map((file) => [sha256(file.bytes), file])).values()];
    for (let start = 0; start < distinct.length; start += 16) {
      const some = distinct.slice(start, start + 16);
      const answers = await Promise.all(some.map((file) => this.upload(owner, target, file)));
      expect(answers.map(({ status }) => status)).toEqual(some.map(() => 200));
    }
  }

  commit<T = { presentationId: string; version: number; shareUrl: string }>(
    owner: Account,
    fields: Record<string, unknown>,
    files: DeckFile[],
    options: CallOptions = {},
  ): Promise<Answered<T>> {
    return this.call<T>(
      'commitPresentationVersion',
      { entryPath: files[0]?.path ?? 'index.html', files: files.map(manifestRow), ...fields },
      { key: owner.key, ...options },
    );
  }

  /** Lets the organization of the account publish 20 listings in the next 24 hours. */
  async forgetPublications({ organizationId }: Account): Promise<void> {
    await this.database.doc(`listingWindows/${organizationId}`).delete();
  }

  /** Publishes a listing of `deck`, or of a new deck. Returns the slug and the deck. */
  async aListing(owner: Account, fields: Record<string, unknown> = {}, deck?: Pick<Deck, 'presentationId'>) {
    const { presentationId } = deck ?? (await this.aDeck(owner));
    const input = { presentationId, kind: 'presentation', description: 'Worth a look.', ...fields };
    await this.forgetPublications(owner);
    const { slug } = (await this.call<{ slug: string }>('publishMarketplaceListing', input, { key: owner.key })).data;
    return { slug, presentationId };
  }

  /** Makes that account a dev of the deck who has used it. */
  async addMember({ presentationId }: Pick<Deck, 'presentationId'>, { email, userId }: Account): Promise<void> {
    const key = await recipientKey();
    await transact(async (tx) => {
      const [deck, user] = await readIn(tx, presentationRef(presentationId), userRef(userId));
      invite(tx, deck!, undefined, { email, invitedBy: deck!.ownerId, user, isSuppressed: false, key }, new Date());
    });
    await recordFirstUse(presentationId, userId);
  }

  /** The URL of a file of a deck in the path form. */
  viewUrl(deck: Pick<Deck, 'presentationId' | 'token'>, path = ''): string {
    return `${this.cloud.baseUrl}/getSharedPresentation/${deck.presentationId}/_t/${deck.token}/${path}`;
  }

  /** The URL of a file of a deck that is in a frame. */
  framedUrl(deck: Pick<Deck, 'presentationId' | 'token'>, path = ''): string {
    return this.viewUrl(deck, path).replace('/_t/', '/_f/');
  }

  /**
   * Opens a URL and waits until the server has closed the connection. By then the server has also finished its work
   * after the last byte, such as counting a view. Returns the status.
   */
  async visit(url: string, headers: Record<string, string> = {}, method = 'GET'): Promise<number> {
    return (await requestLocally(url, { method, headers })).status;
  }

  /** The cost of `work`: database calls by RPC and in total, documents read and written, and bucket calls. */
  async costOf(work: () => Promise<unknown>) {
    this.cloud.firestore.resetStats();
    this.cloud.storage.resetStats();
    await work();
    const { calls, documentReads, documentWrites } = this.cloud.firestore.stats();
    const sum = (counts: Record<string, number>) => Object.values(counts).reduce((total, count) => total + count, 0);
    const storageCalls = sum(this.cloud.storage.stats().calls);
    return { roundTrips: sum(calls), calls, documentReads, documentWrites, storageCalls };
  }
}

/** The world that was started last, to which helpers speak. */
export let world: World;

/** Starts `world` before the tests of a file, and stops it after them. `prepare` makes what all tests share. */
export function startWorld(prepare?: () => Promise<unknown>, options?: Parameters<typeof World.start>[0]): void {
  beforeAll(async () => {
    await World.start(options);
    await prepare?.();
  });
  afterAll(() => world.stop());
}

async function read<T>(response: Response, definition: EndpointDefinition): Promise<Answered<T>> {
  const text = await response.text();
  // An endpoint that streams bytes sends JSON only for errors.
  const body = (
    definition.answer || !response.ok ? JSON.parse(text) : { success: true, data: text }
  ) as Answered<T>['body'];
  if (body.success) {
    // Parsing removes undeclared fields, so that an answer with one, such as a secret, fails the test.
    if (definition.answer) expect(definition.answer.parse(body.data)).toEqual(body.data);
    // The API reference documents the ETag and the 304 from this declaration.
    if (definition.answer) expect(response.headers.has('etag')).toBe(Boolean(definition.isConditional));
  } else if (!(errorsOf(definition) as string[]).includes(body.error!.code)) {
    throw new Error(`${definition.name} answered ${body.error!.code}, which it does not declare.`);
  }
  return {
    status: response.status,
    headers: response.headers,
    body,
    get data() {
      if (!body.success) throw new Error(`${definition.name} failed: ${text}`);
      return body.data!;
    },
    get error() {
      if (body.success) throw new Error(`${definition.name} succeeded: ${text}`);
      return body.error!;
    },
  };
}

export const page = (text = 'Hello', path = 'index.html'): DeckFile => ({
  path,
  bytes: Buffer.from(`<!doctype html><title>${text}</title><p>${text}`),
  contentType: 'text/html; charset=utf-8',
});

/** A file of `size` random bytes. */
export function blob(size: number, path = `${randomUUID()}.bin`): DeckFile {
  const bytes = Buffer.alloc(size, 'x');
  bytes.write(randomUUID().slice(0, size));
  return { path, bytes, contentType: 'application/octet-stream' };
}

/** `data` of a call. Throws when the call failed. */
export const succeed = async <T>(answer: Promise<Answered<T>>): Promise<T> => (await answer).data;
