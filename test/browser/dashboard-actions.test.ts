import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { projectRoot } from '../../local/project';
import { page } from '../support/world';
import { describeInBrowser, until } from './browser';
import { DashboardStage } from './dashboard';
import { aScene, intercept, linksOf, lose, proveActions } from './proof-actions';

const stage = new DashboardStage();
const { button, choose, dialog, field, fill, text, toast } = stage;

proveActions(stage, ['a link is added', 'a deck is published']);

describeInBrowser('a failed action', () => {
  const enter = async (tab: string) => {
    const scene = await aScene(stage);
    await stage.enter(scene.owner, `/decks/${scene.id}/${tab}`);
    return scene;
  };

  test('the same input is a new wish after a success, and another input after a failure', async () => {
    const scene = await enter('links');
    const lost = await intercept(stage, 'addPresentationToken', lose);
    await fill({ Name: 'Board' }, 'Add a link', stage.alert());
    await lost.end();
    for (const name of ['Press', 'Board']) await fill({ Name: name }, 'Add a link', toast(name));
    expect([await linksOf(stage, scene, 'Board'), await linksOf(stage, scene, 'Press')]).toEqual([2, 1]);
  });

  test('an answer that the connection loses is asked for again: a restored version makes no conflict with itself', async () => {
    const scene = await enter('versions');
    let lost = 0;
    const { calls } = await intercept(stage, 'restorePresentationVersion', async (route) => {
      if (lost++ > 0) return route.continue();
      await route.fetch();
      await route.abort('connectionreset');
    });
    await choose('Actions for version 1', 'Restore');
    await stage.answer('Restore', toast('Version 1 is restored as version 3.'));
    const { version } = await stage.info({ presentationId: scene.id }, scene.owner);
    expect([new Set(calls).size, calls.length, version]).toEqual([1, 2, 3]);
  });

  test('a lost connection is said, what was typed stays, and the work is done when it is back', async () => {
    const scene = await enter('links');
    await field('Name').fill('Board');
    await stage.viewer.context.setOffline(true);
    await stage.press('Add a link', text('This device is offline.'));
    expect(await field('Name').inputValue()).toBe('Board');
    await stage.viewer.context.setOffline(false);
    await toast(/Board/).waitFor();
    expect(await text('This device is offline.').isVisible()).toBe(false);
    expect(await linksOf(stage, scene, 'Board')).toBe(1);
  });
});

const press = async (...keys: string[]) => {
  for (const key of keys) await stage.page.keyboard.press(key);
};

/** The name of the element that has the focus. */
const NAME = `(() => {
  const { activeElement: focused } = document;
  const label = focused.labels?.[0]?.querySelector('span') ?? focused.labels?.[0];
  return (focused.getAttribute('aria-label') ?? (label ?? focused).textContent).trim();
})()`;
const focused = () => stage.page.evaluate<string>(NAME);
const untilFocused = (name: string) => until(stage.page, `${NAME} === ${JSON.stringify(name)}`);

/** Goes with the Tab key to a control, as somebody without a mouse does. */
async function reach(name: string, key = 'Tab'): Promise<void> {
  for (let left = 80; left > 0; left--) {
    if ((await focused()) === name) return;
    await press(key);
  }
  throw new Error(`The Tab key does not reach “${name}”.`);
}

async function typeInto(name: string, typed: string, key?: string): Promise<void> {
  await reach(name, key);
  await stage.page.keyboard.insertText(typed);
}

async function reachAndPress(name: string): Promise<void> {
  await reach(name);
  await press('Enter');
}

async function chooseByKeys(menu: string, item: string): Promise<void> {
  await reachAndPress(menu);
  await until(stage.page, `document.activeElement.role === 'menuitem'`);
  for (let left = 9; left > 0 && (await focused()) !== item; left--) await press('ArrowDown');
  expect(await focused()).toBe(item);
  await press('Enter');
  await dialog().waitFor();
}

const isIn = (selector: string) => stage.page.evaluate(`!!document.activeElement.closest("${selector}")`);

const aDeck = async () =>
  (await stage.world.aPushedDeck(stage.owner, [page('<h1>One</h1>')], 'Results')).presentationId;

describeInBrowser('with the keys alone', () => {
  test('a deck is published, its link copied, and the deck deleted', async () => {
    await stage.viewer.context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await stage.enter(stage.owner, '/new');
    const chooser = stage.page.waitForEvent('filechooser');
    await reachAndPress('Choose a file');
    const buffer = Buffer.from('<title>Talk</title><h1>Talk</h1>');
    await (await chooser).setFiles({ name: 'index.html', mimeType: 'text/html', buffer });
    await button('Publish', true).waitFor();
    // The button that was pressed is gone. The focus is in the form that came in its place.
    expect(await isIn('form.check-form')).toBe(true);
    await reachAndPress('Publish');
    await untilFocused('Your deck is online');
    await reachAndPress('Copy link');
    await toast('Link copied').waitFor();
    expect(await stage.copied()).toMatch(/\/share\//);
    expect(await focused()).toBe('Copy link');

    await reachAndPress('To the deck');
    await untilFocused('Talk');
    await reachAndPress('Settings');
    await button('Delete deck').waitFor();
    await reachAndPress('Delete deck');
    await dialog().waitFor();
    await typeInto('Type “Talk” to confirm', 'Talk');
    await press('Enter');
    await toast('“Talk” is deleted.').waitFor();
    await untilFocused('Decks');
  });

  test('a link is added and revoked, and the focus stays where the person works; a menu and a dialog give it back', async () => {
    await stage.enter(stage.owner, `/decks/${await aDeck()}/links`);
    await typeInto('Name', 'Board');
    await press('Enter');
    await toast(/Board/).waitFor();
    expect(await focused()).toBe('Name');
    const menu = 'Actions for the link Board';
    await reach(menu);
    await press(' ');
    await untilFocused('QR code');
    await press('ArrowUp');
    expect(await focused()).toBe('Revoke …');
    await press('Home', 'ArrowDown');
    expect(await focused()).toBe('Pin or follow …');
    await press('Escape');
    expect([await focused(), await stage.page.getByRole('menu').count()]).toEqual([menu, 0]);
    await chooseByKeys(menu, 'Rename …');
    for (let n = 0; n < 12; n++) {
      await press('Tab');
      // Between its last and its first control the focus is in the window of the browser.
      expect((await isIn('dialog')) || !(await isIn('body *'))).toBe(true);
    }
    await press('Escape');
    await untilFocused(menu);
    await chooseByKeys(menu, 'Revoke …');
    await reachAndPress('Revoke link');
    await toast('The link “Board” is revoked.').waitFor();
    await stage.settle();
    expect(await isIn('main')).toBe(true);
  });

  test('a form that is published, saved or left as it was keeps the focus', async () => {
    await stage.world.forgetPublications(stage.owner);
    await stage.enter(stage.owner, `/decks/${await aDeck()}/marketplace`);
    await typeInto('Description', 'Revenue and costs.');
    await reachAndPress('Publish in the marketplace');
    await toast('The deck is in the marketplace.').waitFor();
    await stage.settle();
    expect(await isIn('section.listing')).toBe(true);

    await stage.open('/settings');
    await typeInto('Last name', 'Byron');
    await reachAndPress('Discard changes');
    await untilFocused('Save');
    // There is nothing to save: the button does nothing, and stays.
    await press('Enter');
    expect(await focused()).toBe('Save');
    await typeInto('Last name', 'Byron', 'Shift+Tab');
    await reachAndPress('Save');
    await toast('Saved.').waitFor();
    expect(await focused()).toBe('Save');
  });

  test('every key that the list names does what it says, and a collaborator has only the keys of the own pages', async () => {
    const presentationId = await aDeck();
    const start = `/decks/${presentationId}`;
    const keys = async () => {
      await press('?');
      await dialog().waitFor();
      const found = await stage.page.locator('.shortcuts kbd').allInnerTexts();
      await press('Escape');
      await dialog().waitFor({ state: 'detached' });
      return found.toSorted();
    };
    const ofDeck = { v: `${start}/versions`, l: `${start}/links`, m: `${start}/mails` };
    const places = { d: '', n: '/new', k: '/keys', u: '/usage', s: '/settings', ...ofDeck };
    await stage.enter(stage.owner, start);
    await reachAndPress('Skip to the content');
    expect(await stage.page.evaluate('document.activeElement.id')).toBe('content');
    expect(await keys()).toEqual(['?', ...Object.keys(places)].toSorted());
    for (const [key, path] of Object.entries(places)) {
      await press(key);
      await stage.page.waitForURL(stage.address(path));
      await stage.settle();
      await stage.open(start);
    }
    await press('d');
    await untilFocused('Decks');
    await stage.settle();
    expect(await keys()).toContain('/');
    await press('/');
    expect(await stage.page.evaluate('document.activeElement.type')).toBe('search');
    // A letter that is typed into a field is a letter.
    await press('k');
    expect(stage.page.url()).not.toContain('/keys');

    const guest = await stage.world.anOwner();
    await stage.call('inviteCollaborator', { presentationId, email: guest.email });
    await stage.enter(guest, start);
    expect((await keys()).filter((key) => 'vlm'.includes(key))).toEqual(['v']);
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
    const path = `/dashboard/decks/${await aDeck()}/marketplace`;
    const card = stage.page.locator('.listing-card');
    await stage.page.goto(`${site}/dashboard/sign-in?next=${encodeURIComponent(path)}`);
    await fill({ Email: stage.owner.email }, 'Send code', field('Code from the mail'));
    await field('Code from the mail').fill(await stage.world.mailedCode(stage.owner.email));
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
