import { spawn, type ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import { join } from 'node:path';
import { projectRoot } from '../../local/project';
import { describeInBrowser, until } from './browser';
import { DashboardStage } from './dashboard';

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

const stage = new DashboardStage();
let server: ChildProcess;
let site: string;
beforeAll(async () => {
  const env = { ...process.env, SITE: stage.world.cloud.hostingUrl };
  const cwd = join(projectRoot, 'web');
  const stdio = ['pipe', 'pipe', 'inherit'] as const;
  server = spawn(process.execPath, ['--input-type=module', '--eval', program], { cwd, env, stdio: [...stdio] });
  for await (const line of createInterface(server.stdout!)) {
    site = line.replace(/\/$/, '');
    break;
  }
});
afterAll(() => server?.stdin!.end());

describeInBrowser('npm run dev', () => {
  test('a person signs in, sees the card of a deck, and a file that is written reloads the page', async () => {
    const { page } = stage;
    const deck = await stage.world.aPushedDeck(stage.owner);
    const path = `/dashboard/decks/${deck.presentationId}/marketplace`;
    await page.goto(`${site}/dashboard/sign-in?next=${encodeURIComponent(path)}`);
    await page.getByLabel('Email').fill(stage.owner.email);
    await page.getByRole('button', { name: 'Send code' }).click();
    await page.getByLabel('Code from the mail').waitFor();
    await page.getByLabel('Code from the mail').fill(await stage.world.mailedCode(stage.owner.email));
    await page.waitForURL(site + path);
    await page.locator('.listing-card').waitFor();
    const files = [
      'web/dashboard/src/words/decks.ts',
      'functions/src/house/drawn-picture.tsx',
      'web/dashboard/dashboard.html',
    ];
    for (const file of files) {
      await page.evaluate('isOld = true');
      server.stdin!.write(`${join(projectRoot, file)}\n`);
      await until(page, 'typeof isOld === "undefined"');
      await page.locator('.listing-card').waitFor();
    }
    await page.goto(`${site}/marketplace`);
    await page.getByRole('heading', { level: 1, name: 'Marketplace' }).waitFor();
    expect(page.url()).toBe(`${site}/marketplace`);
  });
});
