import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { request, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';

/** The entries with a prefix in the temporary folder of the present test file, which environment.cjs makes. */
export const temporaryFiles = (prefix: string) => readdirSync(tmpdir()).filter((name) => name.startsWith(prefix));

/** The folders of uploads in forms that are there now. */
export const uploadFolders = () => temporaryFiles('upload-');

/** Sends the beginning of a form of 1 MB, and cuts the connection when the function has begun to write a file. */
export async function cutUpload(url: string, key: string, beginning: string): Promise<void> {
  const form = { 'content-type': 'multipart/form-data; boundary=b', 'content-length': 1_000_000 };
  const sent = request(url, { method: 'POST', agent: false, headers: { authorization: `Bearer ${key}`, ...form } });
  const answered = once(sent, 'response').then(([response]) => {
    throw new Error(`The form was answered ${(response as IncomingMessage).statusCode} before its end.`);
  });
  sent.write(beginning);
  const kept = async () => {
    while (uploadFolders().length === 0) await new Promise(setImmediate);
  };
  await Promise.race([kept(), answered]);
  // The connection is cut: there is an error, and no answer.
  answered.catch(() => undefined);
  const closed = new Promise((resolve) => sent.on('close', resolve));
  sent.on('error', () => undefined).destroy();
  await closed;
}
