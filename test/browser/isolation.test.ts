import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { mkdtemp, rm } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { passSeconds } from '../support/clock';
import { navigation, requestLocally } from '../support/deck-origin';
import { succeed, World, type Account } from '../support/world';
import { describeInBrowser, launch, until, Viewer } from './browser';
import { buildClient, push, type Pushed } from './client';
import { attackingDeck, everyVisit, keepingDeck } from './hostile-origin';

let world: World;
let browser: Browser;
let folder: string;
let viewer: Viewer;
let mallory: Account;
let owner: Account;
let attacker: Pushed;
let victim: Pushed;
/** Another link of the attacker's deck. */
let secondLink: string;
/** Where the links open in this browser. */
let origins: { attacker: string; victim: string; secondLink: string };

const openIn = async (page: Page, shareUrl: string) => {
  await page.goto(shareUrl);
  return new URL(page.url()).origin;
};
const attack = (name: string, origin: string) =>
  viewer.page.evaluate(`attempt(${JSON.stringify(name)}, ${JSON.stringify(origin)})`);

const grantOf = async (origin: string) =>
  (await viewer.context.cookies(origin)).find(({ name }) => name === '__Host-deck')!.value;

describeInBrowser('the origin of a deck', () => {
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'decks-in-browser-'));
    [world, browser] = await Promise.all([World.start(), launch(), buildClient()]);
    [mallory, owner] = [await world.anOwner(), await world.anOwner()];
    attacker = await push(world, mallory, join(folder, 'attacker'), attackingDeck());
    victim = await push(world, owner, join(folder, 'victim'), keepingDeck('Victim'));
    const { presentationId } = attacker;
    const added = { presentationId, tokenName: 'second' };
    secondLink = (await world.call<{ shareUrl: string }>('addPresentationToken', added, { key: mallory.key })).data
      .shareUrl;
  });
  afterAll(async () => {
    await browser?.close();
    await world?.stop();
    await rm(folder, { recursive: true, force: true });
  });
  beforeEach(async () => {
    viewer = await Viewer.arrive(browser);
    // The viewer has opened all of them, so the browser has the cookie of each.
    origins = {
      secondLink: await openIn(viewer.page, secondLink),
      victim: await openIn(viewer.page, victim.shareUrl),
      attacker: await openIn(viewer.page, attacker.shareUrl),
    };
  });
  afterEach(() => viewer.leave());

  const attempts = [
    ['fetch', 'The secret of Attacker', 'TypeError'],
    ['fetchOpaque', 'The secret of Attacker', 'TypeError'],
    ['entry', 'Attacker', 'TypeError'],
    ['script', 'loaded', 'refused'],
    ['module', 'Attacker', 'TypeError'],
    ['style', 'loaded', 'refused'],
    ['image', 'loaded', 'refused'],
    ['frame', 'Attacker', 'SecurityError'],
    ['object', 'Attacker', ''],
    ['worker', 'Attacker', 'SecurityError'],
    ['sharedWorker', 1, 'SecurityError'],
    ['window', 'Attacker', 'no reference'],
  ] as const;
  test.each(attempts)('%s: a deck gets %p at its own origin, and %p at others', async (name, own, other) => {
    const got = [];
    for (const origin of Object.values(origins)) got.push(await attack(name, origin));
    expect(got).toEqual([other, other, own]);
    const shown = viewer.context.pages().flatMap((page) => page.frames().map((frame) => frame.url()));
    const isShown = (origin: string) => shown.some((url) => url.startsWith(origin));
    expect(['frame', 'object', 'window'].includes(name) && isShown(origins.victim)).toBe(name === 'window');
    if (name === 'window') {
      for (const page of viewer.context.pages().slice(1, 3)) {
        expect(await page.evaluate('[opener, name, heard]')).toEqual([null, '', []]);
      }
    }
  });

  const treasure = { cookie: 'treasure=1', stored: { treasure: '1' }, session: { treasure: '1' } };
  const kept = { ...treasure, caches: ['treasure'], databases: ['treasure'], files: ['treasure'] };
  const nothing = { cookie: '', stored: {}, session: {}, caches: [], databases: [], files: [] };

  test('has storage that no other deck and no other link of the deck reads', async () => {
    const other = await viewer.context.newPage();
    await other.goto(`${origins.victim}/`);
    await until(other, 'window.isReady');
    expect(await other.evaluate('find()')).toEqual(kept);
    expect(await viewer.page.evaluate('find()')).toEqual(nothing);
    await viewer.page.evaluate('store()');
    expect(await viewer.page.evaluate('find()')).toEqual(kept);
    await viewer.page.goto(`${origins.secondLink}/`);
    expect(await viewer.page.evaluate('find()')).toEqual(nothing);
  });

  test('shares channels, workers and locks with its own pages only', async () => {
    const [own, other] = [await viewer.context.newPage(), await viewer.context.newPage()];
    await own.goto(`${origins.attacker}/second`);
    await other.goto(`${origins.victim}/`);
    await until(other, 'window.isReady');
    await viewer.page.evaluate('hold()');
    await viewer.page.evaluate('shared()');
    await viewer.page.evaluate('tell()');
    await until(own, 'heard.length === 2');
    expect(await own.evaluate('heard')).toEqual(expect.arrayContaining(['channel hello', 'storage told']));
    expect(await own.evaluate('shared()')).toEqual({ connected: 2, isLocked: true });
    expect(await other.evaluate('shared()')).toEqual({ connected: 1, isLocked: false });
    expect(await other.evaluate('heard')).toEqual([]);
  });

  test('is separated from its siblings in the browser: document.domain has no effect', async () => {
    const host = new URL(origins.attacker).hostname;
    const domain = `(() => { try { document.domain = 'decks.localhost'; } catch {} return document.domain; })()`;
    expect(await viewer.page.evaluate(`[originAgentCluster, ${domain}]`)).toEqual([true, host]);
  });

  test('does not tell a deck the name or the referrer of the window in which it opens', async () => {
    await viewer.page.evaluate(`{ name = 'a message'; location.href = ${JSON.stringify(`${origins.victim}/`)}; }`);
    await until(viewer.page, 'window.isReady');
    expect(await viewer.page.evaluate('[document.title, name, document.referrer]')).toEqual(['Victim', '', '']);
  });

  test('installs no service worker, which would answer after its link is revoked', async () => {
    const script = `${origins.attacker}/service-worker.js`;
    const register = `navigator.serviceWorker.register('/service-worker.js').catch((error) => error.name)`;
    const registrations = 'navigator.serviceWorker.getRegistrations().then(({ length }) => length)';
    expect(await viewer.page.evaluate(`fetch('/service-worker.js').then(({ status }) => status)`)).toBe(200);
    const refused = viewer.context.waitForEvent('response', (response) => response.url() === script);
    expect(await viewer.page.evaluate(register)).toBe('TypeError');
    expect([(await refused).status(), await viewer.page.evaluate(registrations)]).toEqual([403, 0]);
  });

  test('leaves no trace of the share token and of the ticket in the pages and requests of the deck', async () => {
    const fresh = await Viewer.arrive(browser);
    const addresses: string[] = [];
    const requests: Promise<string>[] = [];
    fresh.context.on('request', (request) => {
      addresses.push(request.url());
      if (!request.url().startsWith(world.cloud.hostingUrl)) {
        requests.push(request.allHeaders().then((headers) => JSON.stringify(headers)));
      }
    });
    await fresh.page.goto(`${victim.shareUrl}&theme=dark#3`);
    const { origin } = new URL(fresh.page.url());
    await until(fresh.page, 'window.isReady');
    const readable = JSON.stringify(
      await fresh.page.evaluate(`(async () => [
        location.href, document.cookie, document.referrer, document.URL, document.baseURI, name, history.state,
        { ...localStorage }, { ...sessionStorage }, await cookieStore.getAll(),
        performance.getEntries().map((entry) => entry.toJSON()), performance.timing.toJSON(),
        navigation.entries().map(({ url, key, id }) => [url, key, id]), navigation.activation?.from?.url,
        document.documentElement.outerHTML, opener,
      ])()`),
    );
    expect(fresh.page.url()).toBe(`${origin}/?theme=dark#3`);
    expect(readable).toContain(`${origin}/?theme=dark#3`);
    const ticket = addresses.map((url) => /_open\/([^?#]+)/.exec(url)?.[1]).find(Boolean)!;
    expect(addresses[0]).toContain(victim.token);
    for (const secret of [victim.token, ticket, ticket.split('.').at(-1)!]) {
      expect(readable).not.toContain(secret);
      for (const headers of await Promise.all(requests)) expect(headers).not.toContain(secret);
    }
    // The address of the path form has the token: this test would see it.
    await fresh.page.goto(world.viewUrl(victim));
    expect(await fresh.page.evaluate('location.href')).toContain(victim.token);
    await fresh.leave();
  });

  test('of a revoked link answers 403 at the next request of an open tab; the other links of the deck stay open', async () => {
    const { presentationId } = attacker;
    const call = (name: string, body: object) =>
      succeed(
        world.call<{ tokenId: string; shareUrl: string }>(name, { presentationId, ...body }, { key: mallory.key }),
      );
    const { tokenId, shareUrl } = await call('addPresentationToken', { tokenName: 'short' });
    await viewer.page.goto(shareUrl);
    const status = (path: string) => viewer.page.evaluate<number>(`fetch('${path}').then(({ status }) => status)`);
    expect([await status('/second'), await status('/data.txt')]).toEqual([200, 200]);
    await call('unsharePresentation', { tokenId });
    // The browser keeps files that are no pages for 5 minutes.
    expect([await status('/second'), await status('/script.js'), await status('/data.txt')]).toEqual([403, 403, 200]);
    expect((await viewer.page.reload())!.status()).toBe(403);
    expect(await viewer.page.title()).not.toBe('Attacker');
    expect((await viewer.page.goto(`${origins.attacker}/`))!.status()).toBe(200);
  });

  test('reads nothing of the site and of the API, and does not frame or control its pages', async () => {
    const site = `${world.cloud.marketplaceUrl}/marketplace`;
    const { shareUrl } = victim;
    const got = [];
    for (const name of ['entry', 'frame', 'object', 'window']) got.push(await attack(name, site));
    expect(got).toEqual(['TypeError', 'SecurityError', '', 'no reference']);
    expect(viewer.page.frames().filter((frame) => frame.url().startsWith('http'))).toHaveLength(1);
    expect(await attack('frame', shareUrl)).toBe('SecurityError');
    const ask = (credentials: string) =>
      viewer.page
        .evaluate(`fetch(${JSON.stringify(`${world.cloud.baseUrl}/listMyPresentations`)}, { credentials: '${credentials}' })
        .then(({ status }) => status, ({ name }) => name)`);
    expect([await ask('include'), await ask('omit')]).toEqual(['TypeError', 401]);
  });

  describe('and views', () => {
    const viewsOf = async ({ presentationId }: Pushed, { key }: Account) =>
      (
        await succeed(
          world.call<{ totalViews: number }>('getSharedPresentationInfo', undefined, {
            key,
            query: { presentationId },
          }),
        )
      ).totalViews;
    /** Resolves when a server of this process has ended a request for the entry of that origin. */
    const answered = (origin: string) =>
      new Promise<void>((resolve) => {
        const channel = 'http.server.request.start';
        const onStart = (message: unknown) => {
          const { request, response } = message as { request: IncomingMessage; response: ServerResponse };
          if (`http://${request.headers.host}` !== origin || request.url!.split('?')[0] !== '/') return;
          unsubscribe(channel, onStart);
          // The browser may close the connection before it has read the answer.
          response.once('close', resolve);
        };
        subscribe(channel, onStart);
      });
    /** How many views an attempt of the attacker adds to those of the victim. */
    const counted = async (visit: string) => {
      const before = await viewsOf(victim, owner);
      const done = answered(origins.victim);
      await viewer.page.evaluate(`{ visits.${visit}(${JSON.stringify(origins.victim)}); }`);
      await done;
      const cookie = `__Host-deck=${await grantOf(origins.victim)}`;
      // This request counts one. The views are counted in the order of the requests.
      await requestLocally(`${origins.victim}/`, { headers: { ...navigation, cookie } });
      return (await viewsOf(victim, owner)) - before - 1;
    };

    test.each(everyVisit)('%s of another deck counts no view of this one', async (visit) => {
      passSeconds(61);
      expect(await counted(visit)).toBe(0);
    });

    test.each(['frame', 'object', 'embed'])(
      '%s counts none, even when this deck has just been opened',
      async (visit) => {
        expect(await counted(visit)).toBe(0);
      },
    );
  });

  describe('and cookies', () => {
    const see = async (origin: string) => {
      const answer = await viewer.page.goto(`${origin}/`);
      return [answer!.status(), await viewer.page.title()];
    };

    test('a deck cannot read, replace or add the cookie that opens a deck, neither here nor on another origin', async () => {
      const before = await Promise.all(Object.values(origins).map(grantOf));
      const at = '; domain=decks.localhost; path=/; secure';
      const names = [
        '__Host-deck',
        '__host-deck',
        '__HOST-DECK',
        ' __Host-deck',
        '\t__Host-deck',
        '__Host-deck ',
        '=__Host-deck',
      ];
      const tossed = [
        ...names.map((name) => `${name}=${before[0]}${at}`),
        `__Host-deck${at}`,
        `__Host-deck=${before[0]}; path=/; secure`,
        `__Host-deck=; path=/; secure; max-age=0`,
      ];
      await viewer.page.evaluate(`for (const cookie of ${JSON.stringify(tossed)}) document.cookie = cookie;`);
      const byStore = `cookieStore.set({ name: '__Host-deck', value: 'x', domain: 'decks.localhost' }).catch(({ name }) => name)`;
      expect(await viewer.page.evaluate(byStore)).toBe('TypeError');
      expect(await viewer.page.evaluate('document.cookie')).toBe('');
      expect(await Promise.all(Object.values(origins).map(grantOf))).toEqual(before);
      expect(await see(origins.victim)).toEqual([200, 'Victim']);
    });

    test('cookies that a deck sets for all of its siblings reach them and the site, and change no answer', async () => {
      const look = async (url: string) => (await viewer.page.goto(url))!.text();
      const marketplace = `${world.cloud.marketplaceUrl}/marketplace`;
      const before = [await look(`${origins.victim}/`), await look(marketplace)];
      await viewer.page.goto(`${origins.attacker}/`);
      const names = ['deck', '__session', 'session', 'treasure', '__Secure-deck', `x="__Host-deck=1"; y`];
      for (const name of names) {
        await viewer.page.evaluate(`{ document.cookie = '${name}=tossed; domain=decks.localhost; path=/; secure'; }`);
      }
      expect([await look(`${origins.victim}/`), await look(marketplace)]).toEqual(before);
      expect(await viewer.page.evaluate('document.cookie')).toContain('__session=tossed');
      expect(await see(origins.victim)).toEqual([200, 'Victim']);
    });

    test('a grant that is copied to another origin opens nothing there', async () => {
      const copying = await browser.newContext();
      const page = await copying.newPage();
      const statusOf = async (origin: string) => {
        await copying.clearCookies();
        const grant = { name: '__Host-deck', value: await grantOf(origins.attacker), secure: true, httpOnly: true };
        await copying.addCookies([{ ...grant, url: origin.replace('http:', 'https:') }]);
        return (await page.goto(`${origin}/`))!.status();
      };
      const statuses: number[] = [];
      for (const origin of Object.values(origins)) statuses.push(await statusOf(origin));
      expect(statuses).toEqual([404, 404, 200]);
      await copying.close();
    });

    // SECURITY.md describes both.
    test('a deck can make the browser forget the grants of its siblings: they open again with their links', async () => {
      const many = `for (let i = 0; i < 400; i++) document.cookie = 'c' + i + '=1; domain=decks.localhost; path=/; secure';`;
      await viewer.page.evaluate(many);
      expect(await see(origins.victim)).toEqual([404, expect.any(String)]);
      await viewer.page.goto(victim.shareUrl);
      expect(await viewer.page.title()).toBe('Victim');
    });

    test('a deck can fill the cookies of its siblings until servers refuse them: their owner clears the cookies', async () => {
      const large = `for (let i = 0; i < 40; i++) document.cookie = 'c' + i + '=' + 'x'.repeat(4000) + '; domain=decks.localhost; path=/; secure';`;
      await viewer.page.evaluate(large);
      for (const url of [victim.shareUrl, `${world.cloud.marketplaceUrl}/marketplace`]) {
        const answered = viewer.page.waitForResponse((response) => response.url().includes('decks.localhost'));
        const shown = viewer.page.goto(url).catch((error: Error) => error.message);
        expect([(await answered).status(), await shown]).toEqual([431, expect.stringContaining('ERR_')]);
      }
      await viewer.context.clearCookies();
      await viewer.page.goto(victim.shareUrl);
      expect(await see(origins.victim)).toEqual([200, 'Victim']);
    });
  });
});
