import { build } from 'esbuild';
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Webhook } from 'standardwebhooks';
import { projectRoot } from '../../local/project';
import { mintWebhookSecret } from '../../functions/src/values/webhook-secrets';
import { freePort } from '../support/sockets';
import { examplesOf } from './pages';
import { run } from './run-examples';

/** The receivers of the guide about webhooks take what the service signs, and nothing else. */

const guide = readFileSync(join(projectRoot, 'web/docs/guides/webhooks.md'), 'utf8');
const exampleIn = (language: string) => examplesOf(guide).find((found) => found.language === language)!.code;
const folder = mkdtempSync(join(tmpdir(), 'receiver-'));
const secret = mintWebhookSecret();
const body = JSON.stringify({ type: 'link.opened', timestamp: '2026-03-14T09:26:53.589Z', data: { title: 'ä "b"' } });
let child: ChildProcess | undefined;
afterAll(() => {
  child?.kill();
  rmSync(folder, { recursive: true });
});

test('the one in TypeScript', async () => {
  const outfile = join(folder, 'receiver.mjs');
  const stdin = { contents: exampleIn('ts'), loader: 'ts' as const, resolveDir: projectRoot };
  await build({ stdin, outfile, bundle: true, format: 'esm', platform: 'node', logLevel: 'error' });
  const port = await freePort();
  const env = { PATH: process.env['PATH'], WEBHOOK_SECRET: secret, PORT: String(port) };
  child = spawn(process.execPath, [outfile], { env, stdio: 'ignore' });
  const send = async (signature: string) => {
    const headers = { 'webhook-id': 'e1', 'webhook-timestamp': seconds, 'webhook-signature': signature };
    return (await fetch(`http://127.0.0.1:${port}`, { method: 'POST', headers, body })).status;
  };
  const now = new Date();
  const seconds = String(Math.floor(now.getTime() / 1000));
  const right = new Webhook(secret).sign('e1', now, body);
  for (let isUp = false; !isUp; isUp = await send('').then(Boolean, () => false)) expect(child.exitCode).toBeNull();
  expect([await send(right), await send(`v1,x ${right}`)]).toEqual([204, 204]);
  expect(await send(new Webhook(mintWebhookSecret()).sign('e1', now, body))).toBe(401);
});

test('the one of openssl', async () => {
  const variables = { WEBHOOK_SECRET: secret, ID: 'e1', TIMESTAMP: '1773480413', BODY: body };
  const { stdout, stderr } = await run('sh', ['-c', exampleIn('text')], folder, variables);
  expect([`v1,${stdout}`, stderr]).toEqual([new Webhook(secret).sign('e1', new Date(1_773_480_413_000), body), '']);
});
