import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { projectRoot } from '../../local/project';
import { describeInBrowser, until } from './browser';
import { DashboardStage } from './dashboard';

const stage = new DashboardStage();
const { field, fill } = stage;

/** The server of `npm run dev` at a free port. Each line of its input is a file that is told as written. */
const program = `
import { createInterface } from 'node:readline';
import { createServer } from 'vite';
const server = await createServer({ configFile: 'vite.config.mjs', logLevel: 'warn', server: { port: 0 } });
await server.listen();
console.log(server.resolvedUrls.local[0]);
for await (const file of createInterface(process.stdin)) server.watcher.emit('change', file);
await server.close();
`;

describeInBrowser('npm run dev', () => {
  let server: ChildProcess;
  let site: string;
  beforeAll(async () => {
    const env = { ...process.env, SITE: stage.world.cloud.hostingUrl };
    server = spawn(process.execPath, ['--input-type=module', '--eval', program], {
      cwd: join(projectRoot, 'web'),
      env,
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const [line] = (await once(createInterface(server.stdout!), 'line')) as string[];
    site = line!.replace(/\/$/, '');
  });
  afterAll(() => server?.stdin!.end());

  test('a person signs in, sees the card of a deck, and a file that is written reloads the page', async () => {
    const { presentationId } = await stage.world.aPushedDeck(stage.owner);
    const path = `/dashboard/decks/${presentationId}/marketplace`;
    const card = stage.page.locator('.listing-card');
    await stage.page.goto(`${site}/dashboard/sign-in?next=${encodeURIComponent(path)}`);
    await fill({ Email: stage.owner.email }, 'Send code', field('Code from the email'));
    await field('Code from the email').fill(await stage.world.mailedCode(stage.owner.email));
    await stage.page.waitForURL(site + path);
    await card.waitFor();
    const sources = ['web/dashboard/src/words/decks.ts', 'functions/src/house/drawn-picture.tsx'];
    for (const file of [...sources, 'web/dashboard/dashboard.html']) {
      await stage.page.evaluate('isOld = true');
      server.stdin!.write(`${join(projectRoot, file)}\n`);
      await until(stage.page, 'typeof isOld === "undefined"');
      await card.waitFor();
    }
    await stage.page.goto(`${site}/marketplace`);
    await stage.heading('Marketplace', 1).waitFor();
    expect(stage.page.url()).toBe(`${site}/marketplace`);
  });
});
