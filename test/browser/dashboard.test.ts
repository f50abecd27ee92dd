import { readFile } from 'node:fs/promises';
import type { Route } from 'playwright-core';
import { each } from '../support/each';
import { runJob } from '../support/jobs';
import { wrong } from '../support/sign-in';
import { page, type Account } from '../support/world';
import { describeInBrowser, soon } from './browser';
import { DashboardStage, refuse } from './dashboard';
import { expectToFit } from './fits';
import { proveLinksPage } from './dashboard-deck';
import { keyboardOf } from './keyboard';
import { proveActions } from './proof-actions';
import { readersOn } from './read-decks';

const stage = new DashboardStage({ deckOrigin: true });
const { button, dialog, field, fill, heading, link, press, row, text, toast } = stage;
const { focused, isIn, reachAndPress, type, typeInto, untilFocused } = keyboardOf(stage);
const get = (path: string) => fetch(stage.world.cloud.hostingUrl + path);
const untilTitles = (...titles: string[]) =>
  soon(async () => expect(await stage.page.locator('.deck-card h2').allTextContents()).toEqual(titles));

describeInBrowser('the list of decks', () => {
  test('shows own and shared decks with their states, and copies a link', async () => {
    const owner = await stage.world.aPublisher();
    const late = await stage.world.aDeck(owner, [page()], 'Late');
    await stage.world.database.doc(`presentations/${late.presentationId}`).update({ expiresAt: new Date(1) });
    const listed = await stage.world.aDeck(owner, [page()], 'Listed');
    await stage.world.aListing(owner, {}, listed);
    await stage.world.addMember(await stage.aDeck([page()], 'Of somebody else'), owner);

    await stage.viewer.context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await stage.enter(owner, '/decks');
    const card = (title: string) => stage.page.locator('.deck-card', { has: link(title) });

    const states = { Late: 'Expired', Listed: 'In the marketplace', 'Of somebody else': 'Shared with you' };
    for (const [title, state] of Object.entries(states)) await card(title).getByText(state).waitFor();

    await press('Copy the link of Listed', stage.page.locator('.toasts').getByText('Link copied'));
    expect([await stage.copied(), stage.page.url()]).toEqual([listed.shareUrl, stage.address('/decks')]);
    expect(stage.troubles).toEqual([]);
    await button('Shared with me').click();
    await untilTitles('Of somebody else');
  });

  test('searches, sorts and pages, and keeps the choice in the address', async () => {
    const owner = await stage.world.anOwner();
    for (let i = 1; i <= 25; i++) await stage.world.aDeck(owner, [page()], `Talk ${i}`);
    await stage.world.aDeck(owner, [page()], 'Résumé');
    await stage.enter(owner, '/decks?sort=title');
    await untilTitles('Résumé', ...Array.from({ length: 23 }, (_, i) => `Talk ${i + 1}`));
    await button('Next page').click();
    await untilTitles('Talk 24', 'Talk 25');
    await stage.page.reload();
    await untilTitles('Talk 24', 'Talk 25');
    await stage.page.keyboard.press('/');
    await stage.page.keyboard.type('RESUME');
    await untilTitles('Résumé');
    expect(stage.page.url()).toBe(stage.address('/decks?sort=title&q=RESUME'));
    await stage.page.keyboard.type(' !');
    await text('No deck has “RESUME !” in its title.').waitFor();
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
    const answer = await get('/dashboard/decks/any/links');
    const headers = ['content-security-policy', 'cache-control'].map((name) => answer.headers.get(name));
    expect([answer.status, ...headers]).toEqual([200, "frame-ancestors 'none'", 'no-cache']);
    const [script] = /\/assets\/dashboard-[\w-]+\.js/.exec(await answer.text())!;
    expect((await get(script)).headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
  });

  test('a page whose code does not load says so and offers to reload', async () => {
    await stage.enter(stage.owner, '/no-such-page');
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
    const command = await stage.page.locator('.new-key .command-strip pre').textContent();
    expect(command).toMatch(/--scope marketplace:publish --expires-in-days 90$/);
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
    await soon(async () => expect(await button('Create a key').isDisabled()).toBe(true));
    expect(stage.troubles).toEqual([]);
  });

  test('usage tells each limit, and what to do when one is near', async () => {
    const used = { decks: 85, storedBytes: 6 * 1024 ** 3 };
    await stage.world.database.doc(`organizationUsages/${owner.organizationId}`).update(used);
    await stage.enter(owner, '/usage');
    for (const said of ['85 of 100', 'Nearly used up', /^Used up$/]) await text(said).waitFor();
    const meter = stage.page.getByRole('meter', { name: 'Decks', exact: true });
    await soon(async () => expect(await meter.getAttribute('aria-valuenow')).toBe('85'));
  });

  test('the address is changed with the codes of both mails, and a wrong one is marked', async () => {
    const newEmail = `new-${owner.userId.toLowerCase()}@example.org`;
    await stage.enter(owner, '/settings');
    await fill({ 'New address': newEmail }, 'Send codes', text(`We sent a code to ${owner.email}`));
    const [code, newCode] = [await stage.world.mailedCode(owner.email), await stage.world.mailedCode(newEmail)];
    const [ofOld, ofNew] = [owner.email, newEmail].map((email) => `Code from the email to ${email}`);
    await fill({ [ofOld!]: code, [ofNew!]: wrong(newCode) }, 'Change address', stage.alert());
    await soon(async () => expect(await field(ofNew!).getAttribute('aria-invalid')).toBe('true'));
    await fill({ [ofNew!]: newCode }, 'Change address', text(`You sign in with ${newEmail} from now on.`));
    await soon(async () => expect(await field('Email', true).inputValue()).toBe(newEmail));
  });

  test('the account is deleted with a code and the name of the organization, and the page that says so is signed out', async () => {
    await fill(await stage.requestSettingsCode(owner, 'Send a code to delete the account'));
    const nameField = field('to confirm');
    const sent: string[] = [];
    stage.page.on('request', (request) => sent.push(request.url()));
    const deletions = () => sent.filter((url) => url.endsWith('/deleteAccount')).length;
    await nameField.fill('Another name');
    await nameField.press('Enter');
    await soon(async () => expect([await button('Delete the account').isDisabled(), deletions()]).toEqual([true, 0]));
    await expectToFit(stage.page);
    await nameField.fill("Ada's workspace");
    await nameField.press('Enter');
    await text('Your account is deleted').first().waitFor();
    expect([new URL(stage.page.url()).pathname, deletions()]).toEqual(['/dashboard/account-deleted', 1]);
    expect((await stage.world.call('verifyApiKey', undefined, { key: owner.key })).status).toBe(401);
    // The header is that of nobody.
    await stage.page.locator('.site-header').getByText('Sign in').waitFor();
  });

  test('the profile and the organization are changed, and the change is shown at once', async () => {
    await stage.enter(owner, '/settings');
    // The answer to one form comes after that to another.
    const [call, sent]: [RegExp, Route[]] = [/\/updateOrganization$/, []];
    await stage.page.route(call, (route) => void sent.push(route));
    await field('Name', true).fill('Engines');
    await button('Save').last().click();
    await soon(async () => expect(sent).toHaveLength(1));
    await fill({ 'First name': 'Grace', 'Last name': 'Hopper' }, button('Save').first(), text('Saved.').first());
    await soon(async () => expect(await stage.page.locator('.site-header').textContent()).toContain('Grace Hopper'));
    await sent[0]!.continue();
    await stage.page.unroute(call);
    await button('Discard changes').waitFor({ state: 'detached' });

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
    await soon(async () => expect(await colour.inputValue()).toBe('#8a1c3b'));
    expect(stage.troubles).toEqual([]);

    // The code that makes the mails of the service makes the preview.
    const shown = stage.page.locator('.mail-look .mail');
    for (const said of ['Grace Hopper via Deckhost', owner.email]) await shown.getByText(said).first().waitFor();
    const frame = stage.page.frames().find((found) => found.url().endsWith('/mail-frame'))!;
    await soon(async () => expect(await frame.content()).toMatch(/#8a1c3b[^]*&lt;i&gt;Engines&lt;\/i&gt; שלום/));
  });
});

describeInBrowser('the static pages', () => {
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
    await soon(async () => expect(await stage.page.getByRole('button').count()).toBe(0));
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

describeInBrowser('the insights of a deck', () => {
  const { aReadDeck, mailed, read } = readersOn(stage);

  test('tell on the overview and on the deck who read what, for how long and where readers stopped', async () => {
    const owner = await stage.world.anOwner();
    const deck = await aReadDeck(owner);
    await stage.enter(owner);
    const visit = (reader: string) => stage.page.locator('.visits li').filter({ hasText: reader });
    await soon(async () =>
      expect(await visit('grace@example.com').innerText()).toMatch(
        /opened Quarterly results\s.* · 50 sec · read to the end$/s,
      ),
    );
    await soon(async () =>
      expect(await visit('A reader of the link “Board”').innerText()).toMatch(/ · 40 sec · up to slide 2 of 3$/),
    );
    const figure = (name: string) => stage.page.locator('.figures dl > div').filter({ hasText: name }).locator('dd');
    const figures = () => Promise.all(['Visits', 'People', 'Read to the end'].map((name) => figure(name).innerText()));
    await soon(async () => expect(await figures()).toEqual(['2', '2', '50%']));

    await visit('grace@example.com').getByRole('link').click();
    await stage.page.waitForURL(stage.address(`/decks/${deck.presentationId}/insights`));
    await heading('Slide by slide').waitFor();
    const cells = (name: string) => row(name).first().getByRole('cell').allInnerTexts();
    await soon(async () => expect(await figures()).toEqual(['2', '2', '50%']));
    await soon(async () =>
      expect(await cells('NUMBERS')).toEqual([expect.stringMatching(/^\d+ sec$/), '2', '1 · 50%']),
    );
    await soon(async () =>
      expect(await cells('תודה')).toEqual([expect.stringMatching(/^(2[789]|3[0123]) sec$/), '1', '1 · 50%']),
    );
    await stage.page.getByRole('table', { name: 'By recipient' }).getByText('grace@example.com').waitFor();
    await soon(async () => expect(await cells('news.example.com')).toEqual(['1']));
    const list = stage.page.getByRole('list', { name: 'Visits, newest first' });
    await list.getByText('Emailed to them').waitFor();
    await list.getByText('2 slides seen').click();
    await soon(async () =>
      expect(await list.getByRole('row').filter({ hasText: 'NUMBERS' }).getByRole('cell').allInnerTexts()).toEqual([
        '30 sec',
        '1 time',
      ]),
    );

    await field('Visits', true).selectOption({ label: 'Board' });
    await list.getByText('grace@example.com').waitFor({ state: 'detached' });
    await figure('Visits').filter({ hasText: /^1$/ }).waitFor();
    await soon(async () =>
      expect([await figures(), await list.locator('.row').count()]).toEqual([['1', '1', '0%'], 1]),
    );
    expect(stage.troubles).toEqual([]);
    await stage.page.route(/\/getPresentationInsights/, refuse);
    await field('Visits', true).selectOption({ label: 'Through all links' });
    await stage.alert().waitFor();
    await soon(async () => expect(await figure('Visits').count()).toBe(0));
    await stage.page.unroute(/\/getPresentationInsights/);
    stage.troubles.length = 0;
    await button('Other').click();
    const span = async (from: string, to: string, said: string) => {
      await field('From', true).fill(from);
      await field('To', true).fill(to);
      await press(button('Show', true), text(said));
    };
    await span('2026-01-02', '2026-01-01', 'Choose a first day that is not after');
    await span('2026-01-01', '2026-01-02', 'No visits in this time span.');
    // There are later ones.
    await soon(async () => expect(await heading('No visits yet').count()).toBe(0));

    await stage.open(`/decks/${deck.presentationId}/insights`);
    const saving = stage.page.waitForEvent('download');
    await button('Download as CSV').click();
    const saved = await saving;
    expect(saved.suggestedFilename()).toBe('Quarterly results-visits.csv');
    const [names, ...lines] = (await readFile(await saved.path(), 'utf8')).trim().split(/\r?\n/);
    expect([names!.split(',')[0], lines.length]).toEqual(['viewId', 2]);
    expect(stage.troubles).toEqual([]);
  });

  test('say in the list of mails how far the recipient read', async () => {
    const owner = await stage.world.anOwner();
    const deck = await aReadDeck(owner);
    await read(await mailed(owner, deck, 'ada@example.com'), 1);
    await mailed(owner, deck, 'alan@example.com');
    await runJob('foldInsights');
    await stage.enter(owner, `/decks/${deck.presentationId}/mails`);
    const states = {
      'grace@example.com': 'Opened, read to the end',
      'ada@example.com': 'Opened, up to slide 1 of 3',
      'alan@example.com': 'Not opened',
    };
    for (const [email, state] of Object.entries(states)) await row(email).getByText(state, { exact: true }).waitFor();
  });

  test('end where the owner only wants a count, and begin again when that changes', async () => {
    const owner = await stage.world.anOwner();
    const deck = await stage.world.aPushedDeck(owner);
    const tracking = async () => (await stage.info(deck, owner)).tracking;
    await stage.enter(owner, `/decks/${deck.presentationId}/settings`);
    await press(field('Only a count'), toast('From now on, openings are only counted.'));
    expect(await tracking()).toBe('count');
    await press(link('Insights', true), text('This deck only counts how often it is opened.'));
    await link('Change that in the settings').click();
    await press(field('Visits', true), toast('Visits are recorded from now on.'));
    expect(await tracking()).toBe('full');
    expect(stage.troubles).toEqual([]);
  });
});

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

    await reachAndPress('Go to the deck');
    await untilFocused('Talk');
    await reachAndPress('Settings');
    await button('Delete deck').waitFor();
    await reachAndPress('Delete deck');
    await dialog().waitFor();
    // The focus begins in the first field.
    expect(await focused()).toBe('Type “Talk” to confirm');
    await typeInto('Type “Talk” to confirm', 'Talk');
    await type('Enter');
    await toast('“Talk” is deleted.').waitFor();
    await untilFocused('Decks');
  });
});

// Over the same service.
proveLinksPage(stage);
proveActions(stage, ['a link is added']);
