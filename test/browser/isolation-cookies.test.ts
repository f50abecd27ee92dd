import { describeInBrowser, windowedPath } from './browser';
import { Siblings } from './siblings';

let siblings: Siblings;

describeInBrowser('the cookies of decks', () => {
  beforeAll(async () => {
    // Without windows, Chromium does not end a navigation that a server refuses with 431.
    siblings = await Siblings.start(windowedPath);
  });
  afterAll(() => siblings?.stop());
  beforeEach(() => siblings.arrive());
  afterEach(() => siblings.viewer.leave());

  const see = async (origin: string) => {
    const answer = await siblings.page.goto(`${origin}/`);
    return [answer!.status(), await siblings.page.title()];
  };

  /** The attacker's deck sets cookies for all of its siblings. Chromium writes later: a read waits for the writes. */
  const tossCookies = (count: number, value: string) =>
    siblings.page.evaluate(`{
      for (let i = 0; i < ${count}; i++) document.cookie = 'c' + i + '=${value}; domain=decks.localhost; path=/; secure';
      document.cookie;
    }`);

  test('a deck cannot read, replace or add the cookie that opens a deck, neither here nor on another origin', async () => {
    const before = await Promise.all(Object.values(siblings.origins).map((origin) => siblings.grantOf(origin)));
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
    await siblings.page.evaluate(`for (const cookie of ${JSON.stringify(tossed)}) document.cookie = cookie;`);
    const byStore = `cookieStore.set({ name: '__Host-deck', value: 'x', domain: 'decks.localhost' }).catch(({ name }) => name)`;
    expect(await siblings.page.evaluate(byStore)).toBe('TypeError');
    expect(await siblings.page.evaluate('document.cookie')).toBe('');
    expect(await Promise.all(Object.values(siblings.origins).map((origin) => siblings.grantOf(origin)))).toEqual(
      before,
    );
    expect(await see(siblings.origins.victim)).toEqual([200, 'Victim']);
  });

  test('cookies that a deck sets for all of its siblings reach them and the site, and change no answer', async () => {
    const look = async (url: string) => (await siblings.page.goto(url))!.text();
    const marketplace = `${siblings.world.cloud.marketplaceUrl}/marketplace`;
    const before = [await look(`${siblings.origins.victim}/`), await look(marketplace)];
    await siblings.page.goto(`${siblings.origins.attacker}/`);
    const names = ['deck', '__session', 'session', 'treasure', '__Secure-deck', `x="__Host-deck=1"; y`];
    for (const name of names) {
      await siblings.page.evaluate(`{ document.cookie = '${name}=tossed; domain=decks.localhost; path=/; secure'; }`);
    }
    expect([await look(`${siblings.origins.victim}/`), await look(marketplace)]).toEqual(before);
    expect(await siblings.page.evaluate('document.cookie')).toContain('__session=tossed');
    expect(await see(siblings.origins.victim)).toEqual([200, 'Victim']);
  });

  test('a grant that is copied to another origin opens nothing there', async () => {
    const copying = await siblings.browser.newContext();
    const page = await copying.newPage();
    const statusOf = async (origin: string) => {
      await copying.clearCookies();
      const grant = {
        name: '__Host-deck',
        value: await siblings.grantOf(siblings.origins.attacker),
        secure: true,
        httpOnly: true,
      };
      await copying.addCookies([{ ...grant, url: origin.replace('http:', 'https:') }]);
      return (await page.goto(`${origin}/`))!.status();
    };
    const statuses: number[] = [];
    for (const origin of Object.values(siblings.origins)) statuses.push(await statusOf(origin));
    expect(statuses).toEqual([404, 404, 200]);
    await copying.close();
  });

  // SECURITY.md describes both.
  test('a deck can make the browser forget the grants of its siblings: they open again with their links', async () => {
    await tossCookies(400, '1');
    expect(await see(siblings.origins.victim)).toEqual([404, expect.any(String)]);
    await siblings.page.goto(siblings.victim.shareUrl);
    expect(await siblings.page.title()).toBe('Victim');
  });

  test('a deck can fill the cookies of its siblings until servers refuse them: their owner clears the cookies', async () => {
    await tossCookies(40, 'x'.repeat(4000));
    for (const url of [siblings.victim.shareUrl, `${siblings.world.cloud.marketplaceUrl}/marketplace`]) {
      const page = await siblings.viewer.context.newPage();
      const answered = page.waitForResponse((response) => response.url().includes('decks.localhost'));
      const shown = page.goto(url).catch((error: Error) => error.message);
      expect([(await answered).status(), await shown]).toEqual([431, expect.stringContaining('ERR_')]);
      await page.close();
    }
    await siblings.viewer.context.clearCookies();
    await siblings.page.goto(siblings.victim.shareUrl);
    expect(await see(siblings.origins.victim)).toEqual([200, 'Victim']);
  });
});
