import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { deleteJson, readJson, writeSecretJson } from '../../client/src/json-file';
import type { SessionStore, UploadSession } from '../../client/src/push/session-store';
import { configFolder } from './config-folder';

/** Keeps the upload session of a folder in the user's config folder. */
export function uploadSessions(folder: string, baseUrl: string): SessionStore {
  const name = createHash('sha256').update(`${baseUrl}\n${folder}`).digest('hex').slice(0, 32);
  const path = join(configFolder(), 'sessions', `${name}.json`);
  return {
    read: () => readJson<UploadSession>(path),
    write: (session) => writeSecretJson(path, { folder, baseUrl, ...session }),
    remove: () => deleteJson(path),
  };
}
