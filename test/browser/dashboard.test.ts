import type { Route } from 'playwright-core';
import { page } from '../support/world';
import { describeInBrowser, until } from './browser';
import { DashboardStage } from './dashboard';

const stage = new DashboardStage();
/** One pixel. */
const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const SESSION = 'deckhost.session';
const stored = () => stage.page.evaluate<string | null>(`sessionStorage.getItem('${SESSION}')`);
const button = (name: string | RegExp) => stage.page.getByRole('button', { name });
const link = (name: string | RegExp) => stage.page.getByRole('link', { name });
const heading = (name: string) => stage.page.getByRole('heading', { level: 1, name });
const alert = () => stage.page.locator('main [role="alert"]:not([hidden])');
const titles = () => stage.page.locator('.deck-card h2').allTextContents();
/** Answers of the API with an error are expected, and what the browser reports about them. */
const others = () => stage.troubles.filter((trouble) => !/Failed to load resource|\/us-central1\/\w+$/.test(trouble));

async function requestCode(email: string, path = '/sign-in'): Promise<void> {
  await stage.page.goto(stage.address(path));
  await stage.page.getByLabel('Email').fill(email);
  await button('Send code').click();
}

describeInBrowser('signing in on the dashboard', () => {
  test('an address without an account is led to the sign-up with the address, and ends on the page of the first deck', async () => {
    const email = 'first.visit@example.com';
    await requestCode(email);
    await link(`Create an account for ${email}`).click();
    await heading('Create an account').waitFor();
    expect(await stage.page.getByLabel('Email').inputValue()).toBe(email);
    await button('Send code').click();
    await stage.page.getByLabel('First name').waitFor();
    await stage.page.getByLabel('Code from the mail').fill(await stage.world.mailedCode(email));
    await stage.page.getByLabel('First name').fill('Grace');
    const code = stage.page.getByLabel('Code from the mail');
    const right = await code.inputValue();
    await code.fill(right === '000000' ? '000001' : '000000');
    await button('Create account').click();
    await alert()
      .getByText(/\d attempts are left/)
      .waitFor();
    expect(await stage.page.evaluate('document.activeElement.getAttribute("aria-invalid")')).toBe('true');
    await code.fill(right);
    await button('Create account').click();
    await stage.page.waitForURL(stage.address('/new'));
    await button('Grace').waitFor();
    const { token, user } = JSON.parse((await stored())!) as { token: string; user: { email: string } };
    expect(user.email).toBe(email);
    const account = await stage.world.call<{ user: { firstName: string } }>('getAccount', undefined, { key: token });
    expect(account.data.user.firstName).toBe('Grace');
    expect(await stage.viewer.context.cookies()).toEqual([]);
    expect(await stage.page.evaluate('localStorage.length')).toBe(0);
    expect(others()).toEqual([]);
  });

  test('an address with an account is led from the sign-up to the sign-in', async () => {
    const { email } = await stage.world.anOwner();
    await requestCode(email, '/sign-up?next=%2Fdashboard%2Fkeys');
    await link(`Sign in as ${email}`).click();
    await heading('Sign in').waitFor();
    expect(stage.page.url()).toBe(stage.address('/sign-in?next=%2Fdashboard%2Fkeys'));
    expect(await stage.page.getByLabel('Email').inputValue()).toBe(email);
  });

  test('a wrong code says how many attempts are left, and too many wrong codes that a new one is needed', async () => {
    const { email } = await stage.world.anOwner();
    await requestCode(email);
    await button(/^New code in \d+ s$/).waitFor();
    expect(await button(/^New code in/).isDisabled()).toBe(true);
    const right = await stage.world.mailedCode(email);
    const wrong = right === '000000' ? '000001' : '000000';
    const code = stage.page.getByLabel('Code from the mail');
    await code.fill(wrong);
    await alert()
      .getByText(/\d attempts are left/)
      .waitFor();
    expect(await code.inputValue()).toBe('');
    expect(await stage.page.evaluate('document.activeElement.getAttribute("aria-invalid")')).toBe('true');
    for (let attempt = 2; attempt <= 5; attempt++) {
      const answered = stage.page.waitForResponse(/createDashboardSession/);
      await code.fill(wrong);
      await (await answered).finished();
      await until(stage.page, `document.querySelector('.code-field input').value === ''`);
    }
    await alert().getByText('Too many wrong codes').waitFor();
    expect(await stored()).toBeNull();
    await button(/Use another address/).click();
    expect(await stage.page.getByLabel('Email').inputValue()).toBe(email);
    expect(others()).toEqual([]);
  });

  test('an address of another site is not opened after the sign-in', async () => {
    await stage.enter(stage.owner);
    for (const next of [
      '//evil.example/',
      'https://evil.example/',
      '/\\evil.example',
      'javascript:alert(1)',
      '/\t/evil.example',
    ]) {
      await stage.page.goto(stage.address(`/sign-in?next=${encodeURIComponent(next)}`));
      await until(stage.page, `location.pathname !== '/dashboard/sign-in'`);
      expect([next, new URL(stage.page.url()).origin]).toEqual([next, stage.world.cloud.hostingUrl]);
    }
  });

  test('signing out ends the session at the service and in the tab', async () => {
    await stage.enter(stage.owner);
    const { token } = JSON.parse((await stored())!) as { token: string };
    const ended = stage.page.waitForResponse((answer) => answer.url().endsWith('/endDashboardSession'));
    await button('Ada Lovelace').click();
    await stage.page.getByRole('menuitem', { name: 'Sign out' }).click();
    await heading('Sign in').waitFor();
    expect((await ended).status()).toBe(200);
    expect(await stored()).toBeNull();
    expect((await stage.world.call('getAccount', undefined, { key: token })).error.code).toBe('unauthenticated');
  });

  test('a session that the service has ended leads to the sign-in, which says so and leads back', async () => {
    await stage.enter(stage.owner);
    const { token } = JSON.parse((await stored())!) as { token: string };
    await stage.world.call('endDashboardSession', {}, { key: token });
    await stage.page.goto(stage.address('?sort=title'));
    await stage.page.getByText('Your session has ended.').waitFor();
    expect(await stored()).toBeNull();
    await stage.page.getByLabel('Email').fill(stage.owner.email);
    expect(new URL(stage.page.url()).searchParams.get('next')).toBe('/dashboard?sort=title');
  });
});

describeInBrowser('the list of decks', () => {
  test('shows own and shared decks with their states, and hostile titles as text', async () => {
    const owner = await stage.world.aPublisher();
    const evil = `"'><img src=x onerror="hit=1"></title><script>hit=2</script>`;
    for (const title of [evil, 'x'.repeat(255), 'תכנית עסקית']) await stage.world.aDeck(owner, [page()], title);
    const late = await stage.world.aDeck(owner, [page()], 'Late');
    await stage.world.database.doc(`presentations/${late.presentationId}`).update({ expiresAt: new Date(1) });
    await stage.world.aListing(owner, {}, await stage.world.aDeck(owner, [page()], 'Listed'));
    const shared = await stage.world.aDeck(stage.owner, [page()], 'Of somebody else');
    await stage.world.addMember(shared, owner);
    const picture = { path: 'thumbnail.png', contentType: 'image/png', bytes: Buffer.from(PNG, 'base64') };
    await stage.world.aPushedDeck(owner, [page(), picture], 'With a picture');

    await stage.enter(owner);
    const card = (title: string) => stage.page.locator('.deck-card', { has: link(title) });
    await card('With a picture').scrollIntoViewIfNeeded();
    await until(stage.page, `document.querySelector('.deck-card img')?.naturalWidth > 0`);
    await card('Late').getByText('Expired').waitFor();
    await card('Listed').getByText('In the marketplace').waitFor();
    await card('Of somebody else').getByText('Shared with you').waitFor();
    expect(await titles()).toContain(evil);
    expect(await stage.page.evaluate('window.hit')).toBeUndefined();
    await stage.expectTidy();
    await button('Shared with me').click();
    await until(stage.page, `document.querySelectorAll('.deck-card').length === 1`);
    expect(await titles()).toEqual(['Of somebody else']);
  });

  test('copies the link of a deck, and says so', async () => {
    const owner = await stage.world.anOwner();
    const { shareUrl } = await stage.world.aDeck(owner, [page()], 'To copy');
    await stage.viewer.context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await stage.enter(owner);
    await button('Copy the link of To copy').click();
    await stage.page.locator('.toasts').getByText('Link copied').waitFor();
    expect(await stage.page.evaluate('navigator.clipboard.readText()')).toBe(shareUrl);
    expect(stage.page.url()).toBe(stage.address());
    await stage.expectTidy();
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
    await alert().getByText('request-1').waitFor();
    await stage.page.unroute(call);
    await button('Try again').click();
    await link('After all').waitFor();
    expect(others()).toEqual([]);
  });

  test('searches, sorts and pages, and keeps the choice in the address', async () => {
    const owner = await stage.world.anOwner();
    for (let i = 1; i <= 27; i++) await stage.world.aDeck(owner, [page()], `Talk ${i}`);
    await stage.world.aDeck(owner, [page()], 'Résumé');
    await stage.enter(owner, '?sort=title');
    expect((await titles()).slice(0, 3)).toEqual(['Résumé', 'Talk 1', 'Talk 2']);
    expect(await titles()).toHaveLength(24);
    await button('Next page').click();
    await until(stage.page, `document.querySelectorAll('.deck-card').length === 4`);
    expect(await titles()).toEqual(['Talk 24', 'Talk 25', 'Talk 26', 'Talk 27']);
    await stage.page.reload();
    await stage.settle();
    expect(await titles()).toHaveLength(4);
    await stage.page.keyboard.press('/');
    await stage.page.keyboard.type('RESUME');
    await until(stage.page, `document.querySelectorAll('.deck-card').length === 1`);
    expect(await titles()).toEqual(['Résumé']);
    expect(stage.page.url()).toBe(stage.address('?sort=title&q=RESUME'));
    await stage.page.keyboard.type('!');
    await stage.page.getByText('No deck has “RESUME!” in its title.').waitFor();
    expect(stage.troubles).toEqual([]);
  });
});

describeInBrowser('the frame of the dashboard', () => {
  test('the policy refuses inline code, markup from texts, foreign workers and other addresses', async () => {
    await stage.enter(stage.owner);
    const refused = await stage.page.evaluate<Record<string, unknown>>(`(async () => {
      const nameOf = (act) => { try { act(); return 'allowed'; } catch ({ name }) { return name; } };
      const script = document.createElement('script');
      script.append('inlineRan = true');
      const violated = new Set();
      document.addEventListener('securitypolicyviolation', (event) => violated.add(event.effectiveDirective));
      const found = {
        html: nameOf(() => { document.createElement('div').innerHTML = '<b>'; }),
        document: nameOf(() => { new DOMParser().parseFromString('<b>', 'text/html'); }),
        worker: nameOf(() => { new Worker('/assets/x.js'); }),
        timer: nameOf(() => { setTimeout('inlineRan = true'); }),
        otherPolicy: nameOf(() => { trustedTypes.createPolicy('other', {}); }),
        request: await fetch('https://example.com/').catch(({ name }) => name),
      };
      document.head.append(script);
      const style = document.createElement('style');
      style.append('body { color: rgb(1, 2, 3) }');
      document.head.append(style);
      // The last one of the refused things is the style.
      while (!violated.has('style-src-elem')) await new Promise((resolve) => setTimeout(resolve));
      found.violated = [...violated].sort();
      return { ...found, inline: window.inlineRan, colour: getComputedStyle(document.body).color === 'rgb(1, 2, 3)' };
    })()`);
    expect(refused).toEqual({
      html: 'TypeError',
      document: 'TypeError',
      worker: 'TypeError',
      timer: 'TypeError',
      otherPolicy: 'TypeError',
      request: 'TypeError',
      // The request also fails where the address does not answer.
      violated: ['connect-src', 'require-trusted-types-for', 'style-src-elem', 'trusted-types'],
      inline: undefined,
      colour: false,
    });
    const answer = await fetch(stage.address('/decks/any/links'));
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-security-policy')).toBe("frame-ancestors 'none'");
    expect(answer.headers.get('cache-control')).toBe('no-cache');
    const [script] = /\/assets\/dashboard-[\w-]+\.js/.exec(await answer.text())!;
    const asset = await fetch(stage.world.cloud.hostingUrl + script);
    expect(asset.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
  });

  test('a lost connection is said, and the page continues when it is back', async () => {
    await stage.enter(stage.owner, '/no-such-page');
    await stage.viewer.context.setOffline(true);
    await stage.page.getByText('This device is offline.').waitFor();
    await stage.viewer.context.setOffline(false);
    await until(stage.page, `document.querySelector('.connection').hidden`);
    await link('To your decks').click();
    await heading('Decks').waitFor();
  });

  test('a page whose code does not load says so and offers to reload', async () => {
    await stage.enter(stage.owner, '/no-such-page');
    await stage.page.route('**/assets/decks-*.js', (route) => route.abort());
    await link('To your decks').click();
    await heading('This page did not load').waitFor();
    await stage.page.unroute('**/assets/decks-*.js');
    await button('Reload').click();
    await heading('Decks').waitFor();
  });
});
