import type * as Sdk from 'firebase-admin/firestore';
import { config } from '../config';
import { firebaseApp } from '../firebase-app';
import { logWarning } from '../log';
import { sdkSettings } from './sdk-calls';

/**
 * The Admin SDK for Firestore. It is loaded at the first call, which takes longer than all other work of a cold start:
 * a function that serves views only reads documents and counts views, and never needs it.
 */
export function sdk(): typeof Sdk {
  // A call of `import` would make every query and every increment wait for a promise.
  // eslint-disable-next-line @typescript-eslint/no-require-imports
  return require('firebase-admin/firestore') as typeof Sdk;
}

let database: Sdk.Firestore | undefined;
let clients = 0;

/** The Admin SDK's client of the project's database, for transactions, queries and batches. */
export function db(): Sdk.Firestore {
  return (database ??= openDatabase());
}

/** Closes the client, which would keep the process of a command alive. The next call of `db` opens another. */
export async function closeDatabase(): Promise<void> {
  const client = database;
  database = undefined;
  await client?.terminate();
}

/**
 * Opens a client. The next call of `db` opens another when this one gets no answers any more: its library waits without
 * a limit for a connection that was opened and stays silent, also after the network works again.
 */
function openDatabase(): Sdk.Firestore {
  const app = firebaseApp(clients++ === 0 ? undefined : `database-${clients}`);
  const client = sdk().getFirestore(app, config.databaseId());
  const giveUp = () => {
    if (database !== client) return;
    logWarning('The database client got no answers. It is replaced.', 'BackendTimeout');
    // Calls that still run keep their client. `terminate` would fail them with rejections that nothing handles.
    database = undefined;
  };
  client.settings(sdkSettings(giveUp));
  return client;
}
