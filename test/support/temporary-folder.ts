import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { request, type IncomingMessage } from 'node:http';
import os from 'node:os';
import { join } from 'node:path';

/** The folder in which the functions keep temporary files during the tests of one file. */
export interface TemporaryFolder {
  /** The folders of uploads that are there now. */
  uploads(): string[];
  /** How often the functions have asked for the folder. */
  uses(): number;
}

/**
 * Gives the functions a temporary folder that no other test file uses. TMPDIR cannot do that: `tmpdir` reads the
 * environment of the process, and a test file has a copy of the environment.
 */
export function useTemporaryFolder(): TemporaryFolder {
  const folder = mkdtempSync(join(os.tmpdir(), 'uploads-of-test-'));
  const asked = jest.spyOn(os, 'tmpdir').mockReturnValue(folder);
  afterAll(() => {
    asked.mockRestore();
    rmSync(folder, { recursive: true, force: true });
  });
  const uploads = () => readdirSync(folder).filter((name) => name.startsWith('upload-'));
  return { uploads, uses: () => asked.mock.calls.length };
}

/** Sends the beginning of a form of 1 MB, and cuts the connection when the function has begun to write a file. */
export async function cutUpload(url: string, key: string, beginning: string, folder: TemporaryFolder): Promise<void> {
  const form = { 'content-type': 'multipart/form-data; boundary=b', 'content-length': 1_000_000 };
  const sent = request(url, { method: 'POST', agent: false, headers: { authorization: `Bearer ${key}`, ...form } });
  const answered = once(sent, 'response').then(([response]) => {
    throw new Error(`The form was answered ${(response as IncomingMessage).statusCode} before its end.`);
  });
  sent.write(beginning);
  const kept = async () => {
    while (folder.uploads().length === 0) await new Promise(setImmediate);
  };
  await Promise.race([kept(), answered]);
  // The connection is cut: there is an error, and no answer.
  answered.catch(() => undefined);
  const closed = new Promise((resolve) => sent.on('close', resolve));
  sent.on('error', () => undefined).destroy();
  await closed;
}
