import type { Route } from 'playwright-core';
import { links } from '../../functions/src/house/tokens.json';
import { each } from '../support/each';
import { makePictures } from '../support/pictures';
import { page, type Account } from '../support/world';
import { describeInBrowser, until } from './browser';
import { DashboardStage } from './dashboard';
import { proveDeckPages } from './dashboard-deck';
import { proveSharing } from './dashboard-sharing';
import { file, PNG } from './small-decks';

const stage = new DashboardStage();
const { alert, button, field, fill, heading, link, press, text } = stage;
const titles = () => stage.page.locator('.deck-card h2').allTextContents();
const untilDecks = (count: number) => until(stage.page, `document.querySelectorAll('.deck-card').length === ${count}`);
/** Answers of the API with an error are expected, and what the browser reports about them. */
const others = () => stage.troubles.filter((trouble) => !/Failed to load resource|\/us-central1\/\w+$/.test(trouble));
const CODE = 'Code from the email';
const isInvalid = () => stage.page.evaluate('document.activeElement.getAttribute("aria-invalid")');
/** A wrong code, and the right one that was mailed. */
async function codesOf(email: string) {
  const right = await stage.world.mailedCode(email);
  return { right, wrong: right === '000000' ? '000001' : '000000' };
}

describeInBrowser('signing in on the dashboard', () => {
  test('an address without an account is led to the sign-up with the address, and ends on the page of the first deck', async () => {
    const email = 'first.visit@example.com';
    await stage.requestCode(email);
    await press(link(`Create an account for ${email}`), heading('Create an account'));
    expect(await field('Email').inputValue()).toBe(email);
    await button('Send code').click();
    await field('First name').fill('Grace');
    const { right, wrong } = await codesOf(email);
    await fill({ [CODE]: wrong }, 'Create account', alert().getByText('attempts are left'));
    expect(await isInvalid()).toBe('true');
    await fill({ [CODE]: right }, 'Create account');
    await stage.page.waitForURL(stage.address('/new'));
    await button('Grace').waitFor();
    const { user } = await stage.read<{ user: object }>('getAccount', {}, { key: await stage.token() });
    expect(user).toMatchObject({ email, firstName: 'Grace' });
    const cookies = (await stage.viewer.context.cookies()).map(({ name, path, httpOnly }) => [name, path, httpOnly]);
    expect(cookies.sort()).toEqual([
      ['__session', '/dashboardSession', true],
      ['__session', '/share', true],
    ]);
    const keys = await stage.page.evaluate<string[]>('Object.keys(localStorage)');
    expect([keys.sort(), await stage.page.evaluate('sessionStorage.length')]).toEqual([
      ['deckhost.devices', 'deckhost.session'],
      0,
    ]);
    const deviceToken = expect.stringMatching(/^ckd_/) as string;
    const devices = await stage.page.evaluate<string>(`localStorage.getItem('deckhost.devices')`);
    expect(JSON.parse(devices)).toEqual([[email, deviceToken]]);
    expect(others()).toEqual([]);
  });

  test('an address with an account is led from the sign-up to the sign-in, where wrong codes are counted', async () => {
    const { email } = await stage.world.anOwner();
    await stage.requestCode(email, '/sign-up?next=%2Fdashboard%2Fkeys');
    await press(link(`Sign in as ${email}`), heading('Sign in'));
    expect(stage.page.url()).toBe(stage.address('/sign-in?next=%2Fdashboard%2Fkeys'));
    expect(await field('Email').inputValue()).toBe(email);
    await press('Send code', button(/^New code in \d+ s$/));
    expect(await button(/^New code in/).isDisabled()).toBe(true);
    const { wrong } = await codesOf(email);
    const left = ['4 attempts are', '3 attempts are', '2 attempts are', '1 attempt is'].map((each) => `${each} left`);
    for (const said of [...left, 'Too many wrong codes']) {
      const answered = stage.page.waitForResponse(/createDashboardSession/);
      await fill({ [CODE]: wrong });
      await (await answered).finished();
      await alert().getByText(said).waitFor();
      await until(stage.page, `document.querySelector('.code-field input').value === ''`);
      if (said !== 'Too many wrong codes') expect(await isInvalid()).toBe('true');
    }
    // A mistyped code is nothing to report.
    expect(await alert().getByText('Request id').count()).toBe(0);
    expect(await stage.stored()).toBeNull();
    await button(/Use a different address/).click();
    expect(await field('Email').inputValue()).toBe(email);
    expect(others()).toEqual([]);
  });

  test('a browser that has signed in before gets in while a stranger requests codes and guesses', async () => {
    const { email } = await stage.world.anOwner();
    await stage.requestCode(email);
    await field(CODE).waitFor();
    await field(CODE).fill((await codesOf(email)).right);
    await stage.page.waitForURL(stage.address(''));
    await stage.page.evaluate(`localStorage.removeItem('deckhost.session')`);
    const strangers = { headers: { 'x-forwarded-for': 'a stranger' } };
    // The cooldown of unknown devices runs, which the first request of this browser began.
    const asked = await stage.world.call('cliRequestLoginOtp', { email }, strangers);
    expect(asked.error.code).toBe('OTP_RESEND_COOLDOWN');
    await stage.requestCode(email);
    await field(CODE).waitFor();
    const { right, wrong } = await codesOf(email);
    const guesses = [];
    for (let i = 0; i < 6; i++) {
      const body = { email, code: wrong };
      guesses.push((await stage.world.call('createDashboardSession', body, strangers)).error.code);
    }
    expect(guesses.slice(-2)).toEqual(['OTP_LOCKED_OUT', 'OTP_NOT_FOUND']);
    await field(CODE).fill(right);
    await stage.page.waitForURL(stage.address(''));
    expect(others()).toEqual([]);
  });

  test('an address of another site is not opened after the sign-in', async () => {
    await stage.enter(stage.owner);
    const evil = ['//evil.example/', 'https://evil.example/', '/\\evil.example', '/\t/evil.example', '//['];
    // A browser resolves the dots of these paths, and would then read two slashes at the start.
    const dotted = ['/.//evil.example/', '/x/..//evil.example/', '/%2e//evil.example/', '/.\\/evil.example/'];
    for (const next of each([...evil, ...dotted, 'javascript:alert(1)'])) {
      await stage.page.goto(stage.address(`/sign-in?next=${encodeURIComponent(next)}`));
      await until(stage.page, `location.pathname !== '/dashboard/sign-in'`);
      expect([next, new URL(stage.page.url()).origin]).toEqual([next, stage.world.cloud.hostingUrl]);
    }
  });

  test('a link opens a second tab signed in, and signing out in one tab signs out the other one', async () => {
    const deck = await stage.aDeck([page()], 'For a second tab');
    await stage.enter(stage.owner);
    const opened = stage.viewer.context.waitForEvent('page');
    await link('For a second tab')
      .first()
      .click({ modifiers: ['Control'] });
    const second = await opened;
    await second.getByRole('heading', { name: 'For a second tab' }).waitFor();
    expect(new URL(second.url()).pathname).toContain(deck.presentationId);
    const key = await stage.token();
    const ended = stage.page.waitForResponse((answer) => answer.url().endsWith('/endDashboardSession'));
    await stage.choose('Ada Lovelace', 'Sign out', heading('Sign in'));
    expect((await ended).status()).toBe(200);
    await second.waitForURL(/\/dashboard\/sign-in\?next=/);
    await second.close();
    expect([await stage.stored(), await stage.viewer.context.cookies()]).toEqual([null, []]);
    expect((await stage.world.call('getAccount', undefined, { key })).error.code).toBe('unauthenticated');
  });

  test('signing out everywhere on the settings ends the sessions of all devices', async () => {
    const owner = await stage.world.anOwner();
    const other = await stage.world.aDashboardSession(owner);
    await stage.enter(owner, '/settings');
    await text('This browser').waitFor();
    expect(await button(/^Sign out a program$/).count()).toBe(2);
    await stage.expectTidy();
    await button('Sign out everywhere').click();
    await stage.answer('Sign out everywhere', heading('Sign in'));
    expect((await stage.world.call('getAccount', undefined, { key: other })).status).toBe(401);
  });

  test('a session that the service has ended leads to the sign-in, which says so and leads back', async () => {
    await stage.enter(stage.owner);
    await stage.call('endDashboardSession', {}, { key: await stage.token() });
    await stage.page.goto(stage.address('?sort=title'));
    await text('Your session has ended.').waitFor();
    expect(await stage.stored()).toBeNull();
    expect(new URL(stage.page.url()).searchParams.get('next')).toBe('/dashboard?sort=title');
  });
});

describeInBrowser('the list of decks', () => {
  test('shows own and shared decks with their states, hostile titles as text, and copies a link', async () => {
    const owner = await stage.world.aPublisher();
    const evil = `"'><img src=x onerror="hit=1"></title><script>hit=2</script>`;
    for (const title of [evil, 'x'.repeat(255), 'תכנית עסקית']) await stage.world.aDeck(owner, [page()], title);
    const late = await stage.world.aDeck(owner, [page()], 'Late');
    await stage.world.database.doc(`presentations/${late.presentationId}`).update({ expiresAt: new Date(1) });
    const listed = await stage.world.aDeck(owner, [page()], 'Listed');
    await stage.world.aListing(owner, {}, listed);
    await stage.world.addMember(await stage.aDeck([page()], 'Of somebody else'), owner);
    await stage.world.aPushedDeck(owner, [page(), file('thumbnail.png', PNG)], 'With a picture');
    await makePictures();

    await stage.viewer.context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await stage.enter(owner);
    const card = (title: string) => stage.page.locator('.deck-card', { has: link(title) });
    await card('With a picture').scrollIntoViewIfNeeded();
    await until(stage.page, `document.querySelector('.deck-card img')?.naturalWidth > 0`);
    const states = { Late: 'Expired', Listed: 'In the marketplace', 'Of somebody else': 'Shared with you' };
    for (const [title, state] of Object.entries(states)) await card(title).getByText(state).waitFor();
    expect(await titles()).toContain(evil);
    expect(await stage.page.evaluate('window.hit')).toBeUndefined();
    await press('Copy the link of Listed', stage.page.locator('.toasts').getByText('Link copied'));
    expect([await stage.copied(), stage.page.url()]).toEqual([listed.shareUrl, stage.address()]);
    expect(stage.troubles).toEqual([]);
    await button('Shared with me').click();
    await untilDecks(1);
    expect(await titles()).toEqual(['Of somebody else']);
  });

  test('keeps the places of the decks on a slow connection, and offers to try again after a failure', async () => {
    const owner = await stage.world.anOwner();
    await stage.world.aDeck(owner, [page()], 'After all');
    const call = /\/listMyPresentations/;
    const held = new Promise<Route>((resolve) => stage.page.route(call, resolve));
    const entered = stage.enter(owner);
    const first = await held;
    await stage.page.getByRole('list', { name: 'Loading your decks' }).waitFor();
    expect(await stage.page.locator('.deck-card.waiting').count()).toBe(3);
    const error = { code: 'conflict', message: 'No', nextAction: 'No', requestId: 'request-1' };
    const headers = { 'Access-Control-Allow-Origin': '*' };
    await first.fulfill({ status: 409, headers, json: { success: false, error } });
    await entered;
    await alert().waitFor();
    await stage.page.unroute(call);
    await press('Try again', link('After all'));
    expect(others()).toEqual([]);
  });

  test('searches, sorts and pages, and keeps the choice in the address', async () => {
    const owner = await stage.world.anOwner();
    for (let i = 1; i <= 25; i++) await stage.world.aDeck(owner, [page()], `Talk ${i}`);
    await stage.world.aDeck(owner, [page()], 'Résumé');
    await stage.enter(owner, '?sort=title');
    expect(await titles()).toEqual(['Résumé', ...Array.from({ length: 23 }, (_, i) => `Talk ${i + 1}`)]);
    await button('Next page').click();
    await untilDecks(2);
    expect(await titles()).toEqual(['Talk 24', 'Talk 25']);
    await stage.page.reload();
    await untilDecks(2);
    await stage.page.keyboard.press('/');
    await stage.page.keyboard.type('RESUME');
    await untilDecks(1);
    expect(await titles()).toEqual(['Résumé']);
    expect(stage.page.url()).toBe(stage.address('?sort=title&q=RESUME'));
    await stage.page.keyboard.type('!');
    await text('No deck has “RESUME!” in its title.').waitFor();
    expect(stage.troubles).toEqual([]);
  });
});

describeInBrowser('the frame of the dashboard', () => {
  test('the policy refuses inline code, markup from texts, foreign workers and other addresses', async () => {
    await stage.enter(stage.owner);
    const refused = await stage.page.evaluate(`(async () => {
      const nameOf = async (act) => { try { await act(); return 'allowed'; } catch ({ name }) { return name; } };
      const violated = new Set();
      document.addEventListener('securitypolicyviolation', (event) => violated.add(event.effectiveDirective));
      const names = await Promise.all([
        () => { document.createElement('div').innerHTML = '<b>'; },
        () => { new DOMParser().parseFromString('<b>', 'text/html'); },
        () => { new Worker('/assets/x.js'); },
        () => { setTimeout('inlineRan = true'); },
        () => { trustedTypes.createPolicy('other', {}); },
        () => fetch('https://example.com/'),
      ].map(nameOf));
      const [script, style] = ['script', 'style'].map((name) => document.createElement(name));
      script.append('inlineRan = true');
      style.append('body { color: rgb(1, 2, 3) }');
      document.head.append(script, style);
      while (violated.size < 4) await new Promise((resolve) => setTimeout(resolve));
      return [names, [...violated].sort(), typeof inlineRan, getComputedStyle(document.body).color === 'rgb(1, 2, 3)'];
    })()`);
    // The request also fails where the address does not answer.
    const violated = ['connect-src', 'require-trusted-types-for', 'style-src-elem', 'trusted-types'];
    expect(refused).toEqual([Array(6).fill('TypeError'), violated, 'undefined', false]);
    const answer = await fetch(stage.address('/decks/any/links'));
    const headers = ['content-security-policy', 'cache-control'].map((name) => answer.headers.get(name));
    expect([answer.status, ...headers]).toEqual([200, "frame-ancestors 'none'", 'no-cache']);
    const [script] = /\/assets\/dashboard-[\w-]+\.js/.exec(await answer.text())!;
    const asset = await fetch(stage.world.cloud.hostingUrl + script);
    expect(asset.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
  });

  test('a lost connection is said, and a page whose code does not load says so and offers to reload', async () => {
    await stage.enter(stage.owner, '/no-such-page');
    await stage.viewer.context.setOffline(true);
    await text('This device is offline.').waitFor();
    await stage.viewer.context.setOffline(false);
    await until(stage.page, `document.querySelector('.connection').hidden`);
    await stage.page.route('**/assets/decks-*.js', (route) => route.abort());
    await press(link('To your decks'), heading('This page did not load'));
    await stage.page.unroute('**/assets/decks-*.js');
    await press('Reload', heading('Decks', 1));
  });
});

describeInBrowser('the account on the dashboard', () => {
  let owner: Account;
  beforeEach(async () => {
    owner = await stage.world.anOwner();
  });

  test('a key is created, shown once, used and revoked; at the limit the page creates no more', async () => {
    const key = await stage.world.aDashboardSession(owner);
    await stage.enter(owner, '/keys');
    await button('Create a key').click();
    await fill({ Name: '<b>Build</b> server' });
    await field('Publish and star listings').check();
    await stage.answer('Create a key');
    const raw = (await stage.page.locator('code.raw').textContent())!;
    const { scopes } = await stage.call<{ scopes: string[] }>('verifyApiKey', {}, { key: raw });
    expect(scopes).toEqual(['presentations:write', 'presentations:read', 'marketplace:publish']);
    await button('I have copied it').click();
    expect(await stage.page.content()).not.toContain(raw);
    await button('Revoke <b>Build</b> server').click();
    await stage.answer('Revoke', text('1 revoked or expired key').first());
    expect((await stage.world.call('verifyApiKey', undefined, { key: raw })).status).toBe(401);
    const { keys } = await stage.read<{ keys: { name: string; status: string }[] }>('listApiKeys', {}, { key });
    expect(keys.find(({ name }) => name === 'CLI default key')!.status).toBe('active');

    // As if the service allowed one key.
    await stage.page.route('**/listApiKeys', async (route) => {
      const response = await route.fetch();
      const json = (await response.json()) as { data: { limit: number } };
      await route.fulfill({ response, json: { ...json, data: { ...json.data, limit: 1 } } });
    });
    await stage.page.reload();
    await text('1 of 1 keys are active.').waitFor();
    expect(await button('Create a key').isDisabled()).toBe(true);
    expect(stage.troubles).toEqual([]);
  });

  test('usage tells each limit, and what to do when one is near', async () => {
    const used = { decks: 85, storedBytes: 6 * 1024 ** 3 };
    await stage.world.database.doc(`organizationUsages/${owner.organizationId}`).update(used);
    await stage.enter(owner, '/usage');
    for (const said of ['85 of 100', 'Nearly used up', /^Used up$/]) await text(said).waitFor();
    const meter = stage.page.getByRole('meter', { name: 'Decks', exact: true });
    expect(await meter.getAttribute('aria-valuenow')).toBe('85');
    await stage.expectTidy();
  });

  test('the profile and the organization are changed, and the change is shown at once', async () => {
    await stage.enter(owner, '/settings');
    await fill({ 'First name': 'Grace', 'Last name': 'Hopper' }, button('Save').first(), text('Saved.').first());
    expect(await stage.page.locator('.site-header').textContent()).toContain('Grace Hopper');

    const colour = field('Colour', true);
    const save = async () => {
      const saved = stage.page.waitForEvent('requestfinished', (sent) => sent.url().endsWith('/updateOrganization'));
      await button('Save').last().click();
      await button('Discard changes').waitFor({ state: 'detached' });
      await saved;
    };
    await field('Name', true).fill('<i>Engines</i> שלום');
    await colour.fill('red');
    await text('Such as #1a2b3c').waitFor();
    await colour.fill('8A1C3B');
    await save();
    await stage.page.reload();
    await stage.settle();
    expect(await colour.inputValue()).toBe('#8a1c3b');
    expect(stage.troubles).toEqual([]);

    // The preview is the mail that is sent.
    const { presentationId } = await stage.world.aDeck(owner);
    const mail = await stage.call<{ from: string; replyTo: string; text: string }>(
      'previewShareEmail',
      { presentationId },
      owner,
    );
    const shown = stage.page.locator('.mail-look .mail');
    const [from, sentence] = [
      mail.from.replace(/<.*/, ''),
      /^.* shared this presentation with you\.$/m.exec(mail.text)![0],
    ];
    expect(from).toBe('Grace Hopper via Deckhost ');
    expect(sentence).toContain(`Grace Hopper (${owner.email}) of `);
    for (const said of [from, mail.replyTo, sentence]) expect(await shown.textContent()).toContain(said);
  });
});

describeInBrowser('the static pages', () => {
  const get = (path: string) => fetch(stage.world.cloud.hostingUrl + path);
  const hrefs = (selector: string) =>
    stage.page.$$eval(selector, (found) => found.map((each) => each.getAttribute('href')!));

  test('have the icon, the header and the footer, whose links lead to pages, and a missing page says so', async () => {
    for (const path of ['/', '/docs/guides/ci', '/absent']) {
      await stage.page.goto(stage.site + path);
      const icons = await hrefs('link[rel=icon]');
      const types = await Promise.all(icons.map(async (icon) => (await get(icon)).headers.get('content-type')));
      expect(types).toEqual([expect.stringMatching(/icon/), 'image/svg+xml']);
      for (const [frame, list] of each(Object.entries(links)))
        expect(await hrefs(`${frame} nav a`)).toEqual(list.map((to) => to.path));
    }
    expect(await stage.page.title()).toBe('Page not found · Deckhost');
  });

  test('copy the commands of the home page without prompts, and without scripts there is no button', async () => {
    await stage.viewer.context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await stage.page.goto(stage.site);
    // The page says it for two seconds.
    const said = stage.page.getByRole('status').getByText('Copied.').waitFor();
    await button('Copy').click();
    await said;
    const lines = (await stage.page.locator('.commands code:not(.answer)').allTextContents()).join('\n');
    expect(await stage.copied()).toBe(lines.replaceAll('$ ', ''));
    expect(await stage.copied()).toMatch(/^npm install .*\n.*\n.*\ndeck push my-talk\/$/);
    expect(stage.troubles).toEqual([]);
    await stage.arrive({ javaScriptEnabled: false });
    await stage.page.goto(stage.site);
    expect(await stage.page.getByRole('button').count()).toBe(0);
  });

  test('cannot be framed, and texts for agents have their types', async () => {
    const types = {
      '/docs/api/getUsage.md': 'text/markdown; charset=utf-8',
      '/llms.txt': 'text/plain',
      '/openapi.json': 'application/json',
    };
    for (const [path, type] of each(Object.entries(types)))
      expect([path, (await get(path)).headers.get('content-type')]).toEqual([path, expect.stringContaining(type)]);
    for (const path of ['/', '/docs', '/docs/api/getUsage'])
      expect((await get(path)).headers.get('content-security-policy')).toBe("frame-ancestors 'none'");
  });
});

// Over the same service.
proveDeckPages(stage);
proveSharing(stage);
