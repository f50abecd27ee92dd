import { createHash } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { configFolder, readJson, writeSecret } from '../storage';

/** An upload session of a new deck that is not committed yet. A push that was cut off goes on with it. */
export interface UploadSession {
  folder: string;
  baseUrl: string;
  sessionId: string;
  /** The id that the deck will have, or has, if the push was cut off between the commit and its answer. */
  presentationId: string;
}

/** The session that a push of this folder left behind, whether the service still knows it or not. */
export async function findSession(folder: string, baseUrl: string): Promise<UploadSession | undefined> {
  return readJson<UploadSession>(sessionPath(folder, baseUrl));
}

export async function rememberSession(session: UploadSession): Promise<void> {
  await writeSecret(sessionPath(session.folder, session.baseUrl), session);
}

export async function forgetSession(folder: string, baseUrl: string): Promise<void> {
  await rm(sessionPath(folder, baseUrl), { force: true });
}

function sessionPath(folder: string, baseUrl: string): string {
  const name = createHash('sha256').update(`${baseUrl}\n${folder}`).digest('hex').slice(0, 32);
  return join(configFolder(), 'sessions', `${name}.json`);
}
