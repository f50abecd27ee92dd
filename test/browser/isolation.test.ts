import { each } from '../support/each';
import { words } from '../support/words';
import type { Deck } from '../support/world';
import { describeInBrowser, soon, until } from './browser';
import { expectToFit } from './fits';
import { forAll, Siblings } from './siblings';
import { html } from './small-decks';

const siblings = new Siblings();
const origins = () => Object.values(siblings.origins);
const evaluate = <T = unknown>(code: string) => siblings.page.evaluate<T>(code);

describeInBrowser('the origin of a deck', () => {
  beforeEach(() => siblings.openAll());

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
  test('a deck gets everything at its own origin, and nothing at others', async () => {
    const victimIsShown = () =>
      siblings.viewer.context
        .pages()
        .flatMap((page) => page.frames())
        .some((frame) => frame.url().startsWith(siblings.origins.victim));
    const got = [];
    for (const [name] of attempts) {
      const { secondLink, victim, attacker } = siblings.origins;
      const others = [await siblings.attack(name, secondLink), await siblings.attack(name, victim)];
      got.push([name, await siblings.attack(name, attacker), ...others, victimIsShown()]);
    }
    expect(got).toEqual(attempts.map(([name, own, other]) => [name, own, other, other, name === 'window']));
    for (const page of each(siblings.viewer.context.pages().slice(1, 3))) {
      expect(await page.evaluate('[opener, name, heard]')).toEqual([null, '', []]);
    }
  });

  const treasure = { cookie: 'treasure=1', stored: { treasure: '1' }, session: { treasure: '1' } };
  const kept = { ...treasure, caches: ['treasure'], databases: ['treasure'], files: ['treasure'] };
  const nothing = { cookie: '', stored: {}, session: {}, caches: [], databases: [], files: [] };

  test('has storage that no other deck and no other link of the deck reads', async () => {
    const other = await siblings.viewer.context.newPage();
    await other.goto(`${siblings.origins.victim}/`);
    await until(other, 'window.isReady');
    expect(await other.evaluate('find()')).toEqual(kept);
    expect(await evaluate('find()')).toEqual(nothing);
    await evaluate('store()');
    expect(await evaluate('find()')).toEqual(kept);
    await siblings.page.goto(`${siblings.origins.secondLink}/`);
    expect(await evaluate('find()')).toEqual(nothing);
  });

  test('shares channels, workers and locks with its own pages only', async () => {
    const [own, other] = [await siblings.viewer.context.newPage(), await siblings.viewer.context.newPage()];
    await own.goto(`${siblings.origins.attacker}/second`);
    await other.goto(`${siblings.origins.victim}/`);
    await until(other, 'window.isReady');
    await evaluate('hold()');
    await evaluate('shared()');
    await evaluate('tell()');
    await until(own, 'heard.length === 2');
    expect(await own.evaluate('heard')).toEqual(expect.arrayContaining(['channel hello', 'storage told']));
    expect(await own.evaluate('shared()')).toEqual({ connected: 2, isLocked: true });
    expect(await other.evaluate('shared()')).toEqual({ connected: 1, isLocked: false });
    expect(await other.evaluate('heard')).toEqual([]);
  });

  test('does not tell a deck the name or the referrer of the window in which it opens', async () => {
    await evaluate(`{ name = 'a message'; location.href = ${JSON.stringify(`${siblings.origins.victim}/`)}; }`);
    await until(siblings.page, 'window.isReady');
    expect(await evaluate('[document.title, name, document.referrer]')).toEqual(['Victim', '', '']);
  });

  test('asks for no device, tells no server its address, and shares no origin by document.domain', async () => {
    const host = new URL(siblings.origins.attacker).hostname;
    const domain = `(() => { try { document.domain = 'decks.localhost'; } catch {} return document.domain; })()`;
    expect(await evaluate(`[originAgentCluster, ${domain}]`)).toEqual([true, host]);
    const allowed = await evaluate<string[]>('document.featurePolicy.allowedFeatures()');
    const devices = words(
      'camera microphone geolocation payment usb serial hid midi bluetooth display-capture storage-access ' +
        'publickey-credentials-get publickey-credentials-create otp-credentials identity-credentials-get',
    );
    expect(allowed).toEqual(expect.arrayContaining(['fullscreen', 'screen-wake-lock']));
    expect(allowed.filter((feature) => devices.includes(feature))).toEqual([]);
    const elsewhere = `${siblings.world.cloud.mailUrl}/messages`;
    const sent = siblings.viewer.context.waitForEvent('request', (request) => request.url() === elsewhere);
    await evaluate(`fetch(${JSON.stringify(elsewhere)}, { mode: 'no-cors' }).then(() => true)`);
    // Chromium reports a request without a referrer with an empty one.
    expect((await (await sent).allHeaders())['referer'] ?? '').toBe('');
  });

  test('installs no service worker, which would answer after its link is revoked', async () => {
    const script = `${siblings.origins.attacker}/service-worker.js`;
    const register = `navigator.serviceWorker.register('/service-worker.js').catch((error) => error.name)`;
    const registrations = 'navigator.serviceWorker.getRegistrations().then(({ length }) => length)';
    expect(await evaluate(`fetch('/service-worker.js').then(({ status }) => status)`)).toBe(200);
    const refused = siblings.viewer.context.waitForEvent('response', (response) => response.url() === script);
    expect(await evaluate(register)).toBe('TypeError');
    expect([(await refused).status(), await evaluate(registrations)]).toEqual([403, 0]);
  });

  test('leaves no trace of the share token and of the ticket in the pages and requests of the deck', async () => {
    await siblings.arrive();
    const addresses: string[] = [];
    const requests: Promise<string>[] = [];
    siblings.viewer.context.on('request', (request) => {
      addresses.push(request.url());
      if (!request.url().startsWith(siblings.world.cloud.hostingUrl)) {
        requests.push(request.allHeaders().then((headers) => JSON.stringify(headers)));
      }
    });
    await siblings.page.goto(`${siblings.victim.shareUrl}&theme=dark#3`);
    const { origin } = new URL(siblings.page.url());
    await until(siblings.page, 'window.isReady');
    const readable = JSON.stringify(
      await siblings.page.evaluate(`(async () => [
        location.href, document.cookie, document.referrer, document.URL, document.baseURI, name, history.state,
        { ...localStorage }, { ...sessionStorage }, await cookieStore.getAll(),
        performance.getEntries().map((entry) => entry.toJSON()), performance.timing.toJSON(),
        navigation.entries().map(({ url, key, id }) => [url, key, id]), navigation.activation?.from?.url,
        document.documentElement.outerHTML, opener,
      ])()`),
    );
    expect(siblings.page.url()).toBe(`${origin}/?theme=dark#3`);
    expect(readable).toContain(`${origin}/?theme=dark#3`);
    const ticket = addresses.map((url) => /_open\/([^?#]+)/.exec(url)?.[1]).find(Boolean)!;
    expect(addresses[0]).toContain(siblings.victim.token);
    for (const secret of [siblings.victim.token, ticket, ticket.split('.').at(-1)!]) {
      expect(readable).not.toContain(secret);
      for (const headers of each(await Promise.all(requests))) expect(headers).not.toContain(secret);
    }
    // The address of the path form has the token: this test would see it.
    await siblings.page.goto(siblings.world.viewUrl(siblings.victim));
    expect(await siblings.page.evaluate('location.href')).toContain(siblings.victim.token);
  });

  test('reads nothing of the site and of the API, and does not frame or control its pages', async () => {
    const site = `${siblings.world.cloud.marketplaceUrl}/marketplace`;
    const { shareUrl } = siblings.victim;
    const got = [];
    for (const name of ['entry', 'frame', 'object', 'window']) got.push(await siblings.attack(name, site));
    expect(got).toEqual(['TypeError', 'SecurityError', '', 'no reference']);
    expect(siblings.page.frames().filter((frame) => frame.url().startsWith('http'))).toHaveLength(1);
    expect(await siblings.attack('frame', shareUrl)).toBe('SecurityError');
    const ask = (credentials: string) =>
      siblings.page
        .evaluate(`fetch(${JSON.stringify(`${siblings.world.cloud.baseUrl}/listMyPresentations`)}, { credentials: '${credentials}' })
        .then(({ status }) => status, ({ name }) => name)`);
    expect([await ask('include'), await ask('omit')]).toEqual(['TypeError', 401]);
  });

  test('a frame counts none, even when this deck has just been opened', async () => {
    const counts = [];
    for (const visit of ['frame', 'object', 'embed']) counts.push(await siblings.counted(visit));
    expect(counts).toEqual([0, 0, 0]);
  });
});

describeInBrowser('the cookies of decks', () => {
  beforeEach(() => siblings.openAll());

  test('a deck cannot read, replace or add the cookie that opens a deck, neither here nor on another origin', async () => {
    const before = await siblings.grantsOf(...origins());
    const names = ['__Host-deck', '__host-deck', '__HOST-DECK', ' __Host-deck', '\t__Host-deck', '__Host-deck '];
    await siblings.toss([
      ...[...names, '=__Host-deck'].map((name) => `${name}=${before[0]}${forAll}`),
      `__Host-deck${forAll}`,
      `__Host-deck=${before[0]}; path=/; secure`,
      `__Host-deck=; path=/; secure; max-age=0`,
    ]);
    const byStore = `cookieStore.set({ name: '__Host-deck', value: 'x', domain: 'decks.localhost' }).catch(({ name }) => name)`;
    expect(await evaluate(byStore)).toBe('TypeError');
    expect(await evaluate('document.cookie')).toBe('');
    expect(await siblings.grantsOf(...origins())).toEqual(before);
    expect(await siblings.see(siblings.origins.victim)).toEqual([200, 'Victim']);
  });

  test('cookies that a deck sets for all of its siblings reach them and the site, and change no answer', async () => {
    const look = async (url: string) => (await siblings.page.goto(url))!.text();
    const marketplace = `${siblings.world.cloud.marketplaceUrl}/marketplace`;
    const before = [await look(`${siblings.origins.victim}/`), await look(marketplace)];
    await siblings.page.goto(`${siblings.origins.attacker}/`);
    const names = ['deck', '__session', 'session', 'treasure', '__Secure-deck', `x="__Host-deck=1"; y`];
    await siblings.toss(names.map((name) => `${name}=tossed${forAll}`));
    expect([await look(`${siblings.origins.victim}/`), await look(marketplace)]).toEqual(before);
    expect(await evaluate('document.cookie')).toContain('__session=tossed');
    expect(await siblings.see(siblings.origins.victim)).toEqual([200, 'Victim']);
  });
});

// The page that asks before a link opens.
describeInBrowser('the gate of a link', () => {
  const passcode = 'orchid-47';
  const READER = 'grace@reader.example';
  let deck: Deck;
  const set = (rules: object) =>
    siblings.call('updateShareToken', { presentationId: deck.presentationId, tokenId: deck.tokenId, ...rules });
  const submit = () => siblings.page.locator('button.first').click();
  /** Waits for the deck, on its origin. */
  const opened = (hash = '') =>
    until(siblings.page, `document.title === 'Secret title' && location.hash === '${hash}'`);

  beforeEach(async () => {
    deck = await siblings.aDeck([html('<title>Secret title</title><p>Secret numbers')], 'Secret title');
  });

  test('shows the organization and nothing of the deck, in 12 KB, and opens it at the slide of the link', async () => {
    await siblings.world.database
      .doc(`organizations/${siblings.owner.organizationId}`)
      .update({ brandPrimary: '#ffd400' });
    await set({ passcode, allowedEmails: [READER], maxOpenings: 3 });
    const answer = (await siblings.page.goto(`${deck.shareUrl}#slide-7`))!;
    const text = await answer.text();
    expect([answer.status(), /Secret/.test(text), text.includes(siblings.owner.email)]).toEqual([200, false, false]);
    expect(Buffer.byteLength(text)).toBeLessThan(12 * 1024);
    await expectToFit(siblings.page);
    await siblings.page.locator('#passcode').fill('wrong-one');
    await siblings.page.locator('#email').fill(READER);
    await submit();
    await siblings.text('This passcode is wrong.').waitFor();
    await soon(async () => expect(await siblings.page.locator('#email').inputValue()).toBe(READER));
    await siblings.page.locator('#passcode').fill(passcode);
    await submit();
    await siblings.page.locator('#code').fill('000000');
    await expectToFit(siblings.page);
    await submit();
    await siblings.text('This code is wrong.').waitFor();
    const code = await siblings.world.mailedCode(READER);
    await siblings.page.locator('#code').fill(`${code.slice(0, 3)} ${code.slice(3)}`);
    await submit();
    await opened('#slide-7');
    await siblings.page.reload();
    await opened('#slide-7');
  });

  test('works without scripts, and one button opens a link that opens a number of times', async () => {
    await set({ maxOpenings: 1 });
    await siblings.arrive({ javaScriptEnabled: false });
    await siblings.page.goto(deck.shareUrl);
    await submit();
    await siblings.text('Secret numbers').waitFor();
    await siblings.page.reload();
    await siblings.text('Secret numbers').waitFor();
    await siblings.page.goto(deck.shareUrl);
    await siblings.text('has expired').waitFor();
  });
});
