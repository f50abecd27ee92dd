import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Firestore } from 'firebase-admin/firestore';
import { type FirestoreServer, type IndexFile, startFirestore } from '../../../local/firestore';

export const PROJECT = 'demo-decks';

/** A folder that is deleted at the end of the test file. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'firestore-test-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** The real client for a server at `host`. It does not look for a metadata server. */
export function connect(host: string): Firestore {
  process.env.METADATA_SERVER_DETECTION = 'none';
  process.env.FIRESTORE_EMULATOR_HOST = host;
  return new Firestore({ projectId: PROJECT });
}

export interface FirestoreFixture {
  db: Firestore;
  server: FirestoreServer;
}

/**
 * A server with an empty folder and a client. Both run from before the first test of a file until after the last one.
 */
export function firestoreFixture(indexes?: IndexFile): FirestoreFixture {
  const fixture = {} as FirestoreFixture;
  const dataDir = temporaryFolder();
  beforeAll(async () => {
    fixture.server = await startFirestore({ dataDir, ...(indexes ? { indexes } : {}) });
    fixture.db = connect(`127.0.0.1:${fixture.server.port}`);
  });
  afterAll(async () => {
    await fixture.db.terminate();
    await fixture.server.close();
  });
  return fixture;
}

/** The gRPC code with which a promise rejects, undefined when it resolves. */
export const codeOf = (promise: Promise<unknown>): Promise<number | undefined> =>
  promise.then(
    () => undefined,
    (error: { code?: number }) => error.code,
  );

export const messageOf = (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => 'no error',
    (error: Error) => error.message,
  );

/** A promise and the function that resolves it. Tests use it to stop a transaction at a certain point. */
export function gate(): { open: () => void; opened: Promise<void> } {
  let open = () => {};
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { open, opened };
}

export const code = {
  cancelled: 1,
  invalidArgument: 3,
  notFound: 5,
  alreadyExists: 6,
  failedPrecondition: 9,
  aborted: 10,
  internal: 13,
};
