import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { deleteJson, readJson, writeSecretJson } from '../../client/src/json-file';
import type { SessionStore, UploadSession } from '../../client/src/push/session-store';
import { configFolder } from './config-folder';

/** The file in the user's config folder with the state of what was begun with a folder at a service. */
export function stateFile(kind: 'sessions' | 'imports', folder: string, baseUrl: string): string {
  const name = createHash('sha256').update(`${baseUrl}\n${folder}`).digest('hex').slice(0, 32);
  return join(configFolder(), kind, `${name}.json`);
}

/** Keeps the upload session of a folder. */
export function uploadSessions(folder: string, baseUrl: string): SessionStore {
  const path = stateFile('sessions', folder, baseUrl);
  return {
    read: () => readJson<UploadSession>(path),
    write: (session) => writeSecretJson(path, { folder, baseUrl, ...session }),
    remove: () => deleteJson(path),
  };
}
