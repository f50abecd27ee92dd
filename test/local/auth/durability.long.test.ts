import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { build } from 'esbuild';
import { deleteApp, initializeApp } from 'firebase-admin/app';
import { getAuth, type Auth } from 'firebase-admin/auth';
import { Resend } from 'resend';
import { startAuth } from '../../../local/auth';
import { startMail } from '../../../local/mail';

const ROUNDS = 4;
const program = resolve(__dirname, '../../../.build/test/auth-and-mail.cjs');

beforeAll(async () => {
  await mkdir(resolve(program, '..'), { recursive: true });
  const entry = resolve(__dirname, 'server-process.ts');
  await build({
    entryPoints: [entry],
    outfile: program,
    bundle: true,
    platform: 'node',
    packages: 'external',
    logLevel: 'error',
  });
});

test('after every kill -9, acknowledged users and mails are complete and without duplicates', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'auth-kill-'));
  const users = new Map<string, string>();
  const mails = new Set<string>();

  for (let round = 0; round < ROUNDS; round++) {
    const child = spawn(process.execPath, [program, dataDir], { stdio: ['ignore', 'pipe', 'inherit'] });
    const exited = once(child, 'exit');
    const [line] = (await once(createInterface(child.stdout), 'line')) as [string];
    const { host, url } = JSON.parse(line) as { host: string; url: string };
    const killAt = users.size + mails.size + 60;
    const acknowledged = () => {
      if (users.size + mails.size >= killAt) child.kill('SIGKILL');
    };

    const signUp = async (id: number) => {
      for (let turn = 0; ; turn++) {
        const email = `u${round}-${id}-${turn}@example.com`;
        const user = await create(host, email);
        if (!user) return;
        users.set(user, email);
        acknowledged();
      }
    };
    const send = async (id: number) => {
      const resend = new Resend('re_local', { baseUrl: url });
      for (let turn = 0; ; turn++) {
        const mail = { from: 'a@example.com', to: 'b@example.com', subject: `${round} ${id} ${turn}`, text: 'x' };
        const { data } = await resend.batch.send([mail, mail]);
        if (!data) return;
        for (const sent of data.data) mails.add(sent.id);
        acknowledged();
      }
    };
    await Promise.all([signUp(0), signUp(1), signUp(2), send(0), send(1)]);
    await exited;
  }

  const server = await startAuth({ dataDir, project: 'demo-decks' });
  await withAuth(server.host, async (auth) => {
    for (const [uid, email] of users) expect((await auth.getUserByEmail(email)).uid).toBe(uid);
    const listed: string[] = [];
    for (let token: string | undefined; ;) {
      const page = await auth.listUsers(1000, token);
      listed.push(...page.users.map((user) => user.email!));
      if ((token = page.pageToken) === undefined) break;
    }
    expect(new Set(listed).size).toBe(listed.length);
    // An account and its address are written in one transaction, so every account can be found by its address.
    for (const email of listed) expect((await auth.getUserByEmail(email)).email).toBe(email);
  });
  await server.close();

  const mail = await startMail({ dataDir });
  const { messages } = (await (await fetch(`${mail.url}/messages?to=b@example.com&limit=1000`)).json()) as {
    messages: { id: string; subject: string }[];
  };
  const ids = new Set(messages.map(({ id }) => id));
  for (const id of mails) expect(ids).toContain(id);
  // A batch is stored with both of its mails or with neither.
  const perSubject = group(messages);
  for (const both of perSubject.values()) expect(both).toHaveLength(2);
  await mail.close();
  await rm(dataDir, { recursive: true });
});

function group(messages: { id: string; subject: string }[]) {
  const groups = new Map<string, { id: string }[]>();
  for (const message of messages) groups.set(message.subject, [...(groups.get(message.subject) ?? []), message]);
  return groups;
}

/** Creates a user. Returns the id, or `undefined` without an answer. */
async function create(host: string, email: string): Promise<string | undefined> {
  try {
    const response = await fetch(`http://${host}/identitytoolkit.googleapis.com/v1/projects/demo-decks/accounts`, {
      method: 'POST',
      headers: { authorization: 'Bearer owner', 'content-type': 'application/json' },
      body: JSON.stringify({ email }),
    });
    return ((await response.json()) as { localId: string }).localId;
  } catch {
    return undefined;
  }
}

async function withAuth(host: string, work: (auth: Auth) => Promise<void>): Promise<void> {
  process.env.FIREBASE_AUTH_EMULATOR_HOST = host;
  const app = initializeApp({ projectId: 'demo-decks' }, host);
  await work(getAuth(app));
  await deleteApp(app);
}
