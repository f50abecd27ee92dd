import { randomUUID } from 'node:crypto';
import type { Route } from 'playwright-core';
import { wrong } from '../support/sign-in';
import { page, succeed } from '../support/world';
import { describeInBrowser, soon, until } from './browser';
import { DashboardStage } from './dashboard';
import { expectToFit } from './fits';

const stage = new DashboardStage();
const { alert, button, field, fill, heading, link, press, text } = stage;
/** Answers of the API with an error are expected, and what the browser reports about them. */
const others = () => stage.troubles.filter((trouble) => !/Failed to load resource|\/us-central1\/\w+$/.test(trouble));
const CODE = 'Code from the email';
const isInvalid = () => stage.page.evaluate('document.activeElement.getAttribute("aria-invalid")');
const codeOf = (email: string) => stage.world.mailedCode(email);

describeInBrowser('signing in on the dashboard', () => {
  test('an address without an account is led to the sign-up with the address, and ends on the page of the first deck', async () => {
    const email = 'first.visit@example.com';
    await stage.requestCode(email);
    await press(link(`Create an account for ${email}`), heading('Create an account'));
    await soon(async () => expect(await field('Email').inputValue()).toBe(email));
    await button('Send code').click();
    await field('First name').fill('Grace');
    const right = await codeOf(email);
    await fill({ [CODE]: wrong(right) }, 'Create account', alert().getByText('attempts are left'));
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

  test('an invited person is told the deck, signs up, and is at the deck', async () => {
    const { world } = stage;
    const [owner, email] = [await world.anOwner('pro'), `invited-${randomUUID()}@example.org`];
    const { presentationId } = await world.aDeck(owner);
    await succeed(world.call('inviteCollaborator', { presentationId, email }, owner));
    const address = /https?:\S+invitation=\S+/.exec((await world.mails(email))[0]!.text)![0];
    await stage.page.goto(address);
    await stage.page.getByText("Ada of Ada's workspace invites you to edit").waitFor();
    await expectToFit(stage.page);
    // The other page says it, too.
    await press(link('Sign in'), heading('Sign in'));
    await stage.page.getByText('invites you to edit').waitFor();
    await press(link('Create an account'), heading('Create an account'));
    await fill({ Email: email }, 'Send code');
    await field('First name').fill('Grace');
    await fill({ [CODE]: await codeOf(email) }, 'Create account');
    await stage.page.waitForURL(stage.address(`/decks/${presentationId}`));
    await heading('A deck').waitFor();
    // A dev may not read the links, which the page asks for because it does not know yet whose the deck is.
    expect(others().filter((trouble) => !trouble.includes('/getSharedPresentationInfo?'))).toEqual([]);
  });

  test('an address with an account is led from the sign-up to the sign-in, where wrong codes are counted', async () => {
    const { email } = await stage.world.anOwner();
    await stage.requestCode(email, '/sign-up?next=%2Fdashboard%2Fkeys');
    await press(link(`Sign in as ${email}`), heading('Sign in'));
    expect(stage.page.url()).toBe(stage.address('/sign-in?next=%2Fdashboard%2Fkeys'));
    await soon(async () => expect(await field('Email').inputValue()).toBe(email));
    await press('Send code', button(/^New code in \d+ s$/));
    await soon(async () => expect(await button(/^New code in/).isDisabled()).toBe(true));
    const guess = wrong(await codeOf(email));
    const left = ['4 attempts are', '3 attempts are', '2 attempts are', '1 attempt is'].map((each) => `${each} left`);
    for (const said of [...left, 'Too many wrong codes']) {
      const answered = stage.page.waitForResponse(/createDashboardSession/);
      await fill({ [CODE]: guess });
      await (await answered).finished();
      await alert().getByText(said).waitFor();
      await until(stage.page, `document.querySelector('.code-field input').value === ''`);
      if (said !== 'Too many wrong codes') expect(await isInvalid()).toBe('true');
    }
    // A mistyped code is nothing to report.
    await soon(async () => expect(await alert().getByText('Request id').count()).toBe(0));
    expect(await stage.stored()).toBeNull();
    await button(/Use a different address/).click();
    await soon(async () => expect(await field('Email').inputValue()).toBe(email));
    expect(others()).toEqual([]);
  });

  test('the page names the address that gets the code, and drops a request of an address that the person leaves', async () => {
    const { email } = await stage.world.anOwner();
    const [call, sent]: [RegExp, Route[]] = [/\/cliRequestLoginOtp$/, []];
    await stage.page.route(call, (route) => void sent.push(route));
    await stage.page.clock.install();
    await stage.requestCode(email);
    await soon(async () => expect(sent).toHaveLength(1));
    await field('Email').fill('corrected@example.org');
    await sent[0]!.continue();
    await text(`We sent a code to ${email}.`).waitFor();
    await stage.page.clock.fastForward(30_000);
    await press('Send a new code');
    await soon(async () => expect(sent).toHaveLength(2));
    expect(sent[1]!.request().postDataJSON()).toMatchObject({ email });
    const dropped = stage.page.waitForEvent('requestfailed', (request) => call.test(request.url()));
    await press(/Use a different address/);
    await dropped;
    await soon(async () => expect(await field('Email').inputValue()).toBe('corrected@example.org'));
  });

  test('a browser that has signed in before gets a code while the cooldown of unknown devices runs', async () => {
    const { email } = await stage.world.anOwner();
    const signIn = async () => {
      await stage.requestCode(email);
      await field(CODE).waitFor();
      await field(CODE).fill(await codeOf(email));
      await stage.page.waitForURL(stage.address(''));
    };
    await signIn();
    await stage.page.evaluate(`localStorage.removeItem('deckhost.session')`);
    // The first request of this browser began the cooldown.
    const stranger = { headers: { 'x-forwarded-for': 'a stranger' } };
    const asked = await stage.world.call('cliRequestLoginOtp', { email }, stranger);
    expect(asked.error.code).toBe('OTP_RESEND_COOLDOWN');
    await signIn();
    expect(others()).toEqual([]);
  });

  test('a link opens a second tab signed in, and signing out in one tab signs out the other one', async () => {
    const deck = await stage.aDeck([page()], 'For a second tab');
    await stage.enter(stage.owner);
    await stage.page.goto(stage.address('/decks'));
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
    await stage.world.aDashboardSession(owner);
    await stage.enter(owner, '/settings');
    await text('This browser').waitFor();
    const buttons = button(/^Sign out a program$/);
    await soon(async () => expect(await buttons.count()).toBe(3));
    const held = new Promise<Route>((resolve) => stage.page.route('**/endDashboardSession', resolve, { times: 1 }));
    await stage.page.getByRole('row').filter({ hasNotText: 'This browser' }).getByRole('button').first().click();
    const ending = await held;
    // One after another.
    await soon(async () => expect(await buttons.nth(2).isDisabled()).toBe(true));
    await ending.continue();
    await soon(async () => expect(await buttons.count()).toBe(2));
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
