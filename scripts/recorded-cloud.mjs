// A new local cloud for the scripts that record what people see of it.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { root } from './root.mjs';

/** Starts the built local cloud on free ports, and passes its addresses to `work`. Ends it afterwards. */
export async function withCloud(work) {
  const command = [join(root, '.build/local.js'), '--ephemeral', '--json', '--no-schedules'];
  const cloud = spawn(process.execPath, command, { cwd: root, stdio: ['ignore', 'pipe', 'ignore'] });
  try {
    const [line] = await once(createInterface({ input: cloud.stdout }), 'line');
    await work(JSON.parse(line));
  } finally {
    cloud.kill('SIGTERM');
    await once(cloud, 'exit');
  }
}

/** The code in the newest mail to an address. */
export const newestCode = async (mailUrl, email) => /\b\d{6}\b/.exec(await newestMail(mailUrl, email))[0];

/** The text of the newest mail to an address. */
export async function newestMail(mailUrl, email) {
  const response = await fetch(`${mailUrl}/messages?to=${encodeURIComponent(email)}`);
  const { messages } = await response.json();
  return messages[0].text;
}
