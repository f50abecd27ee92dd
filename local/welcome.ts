import { relative } from 'node:path';
import type { LocalCloud } from '.';
import { DEFAULT_BASE_URL } from './ports';

/** What `npm start` prints when every part answers. `isDeleted`: whether the data folder is deleted at the end. */
export function welcome(cloud: LocalCloud, isDeleted: boolean): string {
  const relativeDataDir = relative(process.cwd(), cloud.dataDir);
  const dataDir = relativeDataDir.startsWith('..') ? cloud.dataDir : relativeDataDir;
  return `
  The local cloud is running. It is for development only and answers on 127.0.0.1 only.

    Functions   ${cloud.baseUrl}
    Hosting     ${cloud.hostingUrl}
    Decks       ${cloud.deckOrigin ?? 'in a sandboxed frame of the share page: no origins of their own'}
    Mail        ${cloud.mailUrl}  (receives every mail, sign-up codes included)
    Firestore   ${cloud.firestoreHost}
    Storage     ${cloud.storageHost}
    Auth        ${cloud.authHost}
    Dashboard   ${cloud.hostingUrl}/dashboard
    Docs        ${cloud.hostingUrl}/docs
    Schedules   ${schedulesOf(cloud)}
    Data        ${dataDir}${isDeleted ? '  (deleted at the end)' : ''}

  Publish a first deck from another terminal:
${addressForClient(cloud.baseUrl)}
    npx deckhost signup
    npx deckhost push <folder>

  Ctrl-C stops it.

`;
}

/** The line that tells the client the address of the functions. Empty for the client's default address. */
export function addressForClient(baseUrl: string): string {
  return baseUrl === DEFAULT_BASE_URL ? '' : `\n    export DECK_BASE_URL=${baseUrl}`;
}

function schedulesOf({ schedules }: LocalCloud): string {
  if (!schedules) return 'off  (a POST runs a scheduled function)';
  return `${schedules.jobs.length} functions run by their schedules  (the log shows the runs that do something)`;
}
