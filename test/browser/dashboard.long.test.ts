import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Route } from 'playwright-core';
import { projectRoot } from '../../local/project';
import { runJob } from '../support/jobs';
import { page } from '../support/world';
import { describeInBrowser, soon, until } from './browser';
import { DashboardStage, refuse } from './dashboard';
import { proveDeckPages } from './dashboard-deck';
import { proveListings } from './dashboard-listing';
import { proveMails } from './dashboard-mails';
import { expectToFit } from './fits';

/** Pages of the dashboard in states that are seldom, what a person has typed, and the card of a listing. */

const stage = new DashboardStage();
const { alert, button, field, fill, link, press, text } = stage;

describeInBrowser('the list of decks', () => {
  test('keeps the places of the decks on a slow connection, and offers to try again after a failure', async () => {
    const owner = await stage.world.anOwner();
    await stage.world.aDeck(owner, [page()], 'After all');
    const call = /\/listMyPresentations/;
    const held = new Promise<Route>((resolve) => stage.page.route(call, resolve));
    const entered = stage.enter(owner, '/decks');
    const first = await held;
    await stage.page.getByRole('list', { name: 'Loading your decks' }).waitFor();
    await soon(async () => expect(await stage.page.locator('.deck-card.waiting').count()).toBe(3));
    await refuse(first);
    await entered;
    await alert().waitFor();
    await soon(async () => expect(await text('Publish your first deck').count()).toBe(0));
    await stage.page.unroute(call);
    await press('Try again', link('After all'));
    const others = stage.troubles.filter((trouble) => !/Failed to load resource|\/us-central1\/\w+$/.test(trouble));
    expect(others).toEqual([]);
  });
});

describeInBrowser('the account on the dashboard', () => {
  test('the account is exported with a code, and its parts are downloaded', async () => {
    await stage.page.clock.install();
    const owner = await stage.world.anOwner();
    const code = await stage.requestSettingsCode(owner, 'Send a code for the export');
    await fill(code, 'Start the export', text('begins within a minute'));
    await runJob('exportAccounts');
    // The page asks every 5 seconds, also after a failure.
    await stage.page.route(/\/getAccountExport/, refuse);
    await stage.page.clock.fastForward(5000);
    await alert().waitFor();
    await stage.page.unroute(/\/getAccountExport/);
    await stage.page.clock.fastForward(5000);
    const download = stage.page.waitForEvent('download');
    const held = new Promise<Route>((resolve) => stage.page.route(/\/getAccountExport/, resolve, { times: 1 }));
    await press('Download account-');
    const asking = await held;
    await soon(async () => expect(await button('Download account-').isDisabled()).toBe(true));
    await asking.continue();
    const bytes = await readFile(await (await download).path());
    expect(bytes.subarray(0, 2).toString()).toBe('PK');
    await expectToFit(stage.page);
    await stage.world.database.doc(`accountExports/${owner.organizationId}`).delete();
    await press('Download account-', button('Send a code for the export'));
  });
});

describeInBrowser('what a person has typed', () => {
  test('is warned about where the browser does not store it', async () => {
    await stage.viewer.context.addInitScript({
      content: `const set = Storage.prototype.setItem;
        Storage.prototype.setItem = function (key, value) {
          if (key.startsWith('deckhost.draft')) throw new DOMException('Full', 'QuotaExceededError');
          return set.call(this, key, value);
        };`,
    });
    const { presentationId } = await stage.aDeck();
    await stage.enter(stage.owner, `/decks/${presentationId}/mails`);
    const asked: string[] = [];
    stage.page.on('dialog', (found) => {
      asked.push(found.type());
      void found.accept();
    });
    await stage.page.reload();
    await stage.settle();
    expect(asked).toEqual([]);
    // Keys, because a browser warns only a person who has touched the page.
    await field('Message (optional)').pressSequentially('Half a letter');
    await stage.page.goto(stage.address(`/decks/${presentationId}`));
    expect(asked).toEqual(['beforeunload']);
  });
});

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

// Over the same service.
proveDeckPages(stage);
proveMails(stage);
proveListings(stage);
