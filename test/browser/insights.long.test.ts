import type { Route } from 'playwright-core';
import { Webhook } from 'standardwebhooks';
import { labelOfToken, originOf } from '../../functions/src/values/deck-origins';
import { passSeconds } from '../support/clock';
import { runJob } from '../support/jobs';
import { startReceiver, type Receiver } from '../support/receiver';
import { readOnce, slide } from '../support/views';
import type { WebhookRow } from '../support/webhooks';
import { page, type Account } from '../support/world';
import { describeInBrowser, soon } from './browser';
import { DashboardStage, refuse } from './dashboard';
import { expectToFit } from './fits';
import { readersOn } from './read-decks';
import { html } from './small-decks';

/** Readers, what they ask for, what happened, and the addresses to which events are sent. */

const stage = new DashboardStage({ deckOrigin: true });
const { alert, answer, button, dialog, field, fill, heading, link, press, text, toast } = stage;
const { aReadDeck, visits } = readersOn(stage);

// The times of the events never go back: this test comes before those that move the date further.
describeInBrowser('the activity in the dashboard', () => {
  test('tells what happened and who did it, filters it in the address, and leads to the deck', async () => {
    const owner = await stage.world.anOwner();
    const evil = `<img src=x onerror="hit=1">`;
    // The session of the browser is an event, too.
    await stage.enter(owner, '/activity');
    const deck = await stage.world.aDeck(owner, [page()], evil);
    const other = await stage.world.aDeck(owner, [page()], 'Other');
    passSeconds(1);
    const session = { key: await stage.world.aDashboardSession(owner) };
    const add = ({ presentationId }: { presentationId: string }, name: string, by: { key: string } = owner) =>
      stage.call('addPresentationToken', { presentationId, tokenName: name }, by);
    await add(other, 'Board');
    await add(deck, 'Press');
    passSeconds(1);
    await add(deck, 'Mine', session);
    passSeconds(1);
    await readOnce(deck);

    // The page would ask for 50 events at once.
    await stage.page.route(/\/listEvents\?/, (route) => route.continue({ url: `${route.request().url()}&limit=3` }));
    await stage.page.reload();
    const rows = stage.page.getByRole('list', { name: 'Events, newest first' }).getByRole('listitem');
    await rows.first().waitFor();
    await soon(async () => expect(await rows.count()).toBe(3));
    const told = async (at: number) => (await rows.nth(at).textContent())!;
    expect(await told(0)).toMatch(/^The link “default” was opened\.<img.* · now · by a reader$/);
    expect(await told(1)).toMatch(/^The link “Mine” was added\.<img.* · by you$/);
    expect(await told(2)).toMatch(/^The link “Press” was added\.<img.* · by key “CLI default key”$/);
    expect(await stage.page.evaluate('window.hit')).toBeUndefined();
    await press('Show older events', rows.filter({ hasText: 'The deck was published.' }).first());

    const choose = (name: string, label: string) => stage.page.getByRole('combobox', { name }).selectOption({ label });
    await choose('Deck', 'Other');
    await choose('Type', 'Link added');
    await rows.filter({ hasText: '“Board”' }).waitFor();
    await rows.nth(1).waitFor({ state: 'detached' });
    expect(stage.page.url()).toBe(stage.address(`/activity?deck=${other.presentationId}&type=link.created`));
    await choose('Type', 'Mail bounced');
    await press(stage.link('Show everything'), rows.filter({ hasText: '“Mine”' }));

    expect(stage.troubles).toEqual([]);
    await stage.page.route(/\/listEvents\?/, refuse);
    await choose('Type', 'Link added');
    await alert().waitFor();
    // Neither a row of the other filter, nor a button that adds rows to it.
    await soon(async () => expect([await rows.count(), await button('Show older events').count()]).toEqual([0, 0]));
    await stage.page.unroute(/\/listEvents\?/, refuse);
    stage.troubles.length = 0;
    await choose('Type', 'All types');
    await rows.filter({ hasText: '“Mine”' }).waitFor();
    await press(rows.nth(1).getByRole('link'), stage.heading(evil, 1));
    expect(stage.page.url()).toBe(stage.address(`/decks/${deck.presentationId}/links`));
    // As a tab that was opened before the service had such events.
    await stage.page.route(/\/listEvents\?/, async (route) => {
      const response = await route.fetch();
      const body = (await response.text()).replaceAll('link.created', 'link.painted');
      await route.fulfill({ response, body });
    });
    await stage.open('/activity');
    await rows.filter({ hasText: 'link.painted' }).first().waitFor();
    expect(stage.troubles).toEqual([]);
  });
});

describeInBrowser('webhooks in the dashboard', () => {
  let owner: Account;
  let receiver: Receiver;
  beforeEach(async () => {
    owner = await stage.world.anOwner();
    receiver = await startReceiver();
  });
  afterEach(() => receiver.close());
  const webhooks = async () => (await stage.read<{ webhooks: WebhookRow[] }>('listWebhooks', {}, owner)).webhooks;
  const secret = async () => (await stage.page.locator('code.raw').textContent())!;
  const card = () => stage.page.locator('.webhooks .card');
  const delivery = () => card().locator('.deliveries li').first();

  test('one is added with its secret, tried, changed, paused, rotated and deleted', async () => {
    await stage.enter(owner, '/webhooks');
    await text('deck webhooks listen --forward').waitFor();
    await button('Add a webhook').click();
    await field('Only these:').check();
    await field(/^Deck renamed/).check();
    // The browser asks for the address.
    await stage.answer('Add a webhook', stage.page.locator('input[type="url"]:focus'));
    await field('Address', true).fill('ftp://example.com');
    await stage.answer('Add a webhook', dialog().getByText('The address must begin with https://.'));
    await soon(async () => expect(await alert().count()).toBe(0));
    // The browser reports the refusal.
    stage.troubles.length = 0;
    await field('Address', true).fill(receiver.url);
    await field('Note (optional)').fill('<b>CRM</b>');
    await stage.answer('Add a webhook', stage.heading('The secret of your webhook'));
    const first = await secret();
    await button('I have copied it').click();
    expect(await stage.page.content()).not.toContain(first);
    const [made] = await webhooks();
    expect(made).toMatchObject({
      events: ['link.opened', 'view.ended', 'presentation.renamed'],
      description: '<b>CRM</b>',
      includeReaders: false,
    });

    const held = new Promise<Route>((resolve) => stage.page.route('**/sendTestEvent', resolve, { times: 1 }));
    await press(/^Send a test/);
    const trial = await held;
    const areDisabled = () => Promise.all([/^Send a test/, /^Pause/].map((name) => button(name).isDisabled()));
    await soon(async () => expect(await areDisabled()).toEqual([true, false]));
    await trial.continue();
    await toast('The event arrived.').waitFor();
    const [{ body, headers }] = receiver.received as [(typeof receiver.received)[0]];
    new Webhook(first).verify(body, headers as Record<string, string>);
    await delivery().getByText('Request and answer').click();
    await soon(async () =>
      expect(JSON.parse((await delivery().locator('pre').first().textContent())!)).toEqual(JSON.parse(body)),
    );

    await button(/^Change the webhook/).click();
    await field('Send the addresses of readers').check();
    await stage.answer('Save', toast('The webhook is changed.'));
    await button(/^Pause/).click();
    await card().getByText('Paused').waitFor();
    expect((await webhooks())[0]).toMatchObject({ includeReaders: true, status: 'disabled', disabledBy: 'user' });
    await press(/^Activate/, card().getByText('Active'));
    await stage.choose(/^More actions/, 'Rotate the secret …', dialog());
    await stage.answer('Rotate the secret', text('The secret before signs requests, too'));
    expect(await secret()).not.toBe(first);
    await stage.choose(/^More actions/, 'Delete …', dialog());
    await stage.answer('Delete webhook', text('No webhooks yet'));
    expect(await webhooks()).toEqual([]);
    expect(stage.troubles).toEqual([]);
  });

  test('what did not arrive is shown with its answer, and sent again', async () => {
    const { presentationId } = await stage.world.aDeck(owner);
    const input = { url: receiver.url, events: ['presentation.renamed'] };
    await stage.call('createWebhook', input, owner);
    receiver.answer = (res) => void res.writeHead(503).end('{"error":"<i>down</i>"}');
    await stage.call('renamePresentation', { presentationId, title: 'Profit' }, owner);
    await runJob('sweepWebhooks');
    await stage.world.cloud.queues.runDue();
    await stage.enter(owner, '/webhooks');
    await card().getByText('Failing').waitFor();
    await stage.page.getByText('Last deliveries').click();
    await delivery().getByText('status 503').waitFor();
    await delivery().getByText('Request and answer').click();
    await soon(async () => expect(await delivery().locator('pre').last().textContent()).toContain('<i>down</i>'));
    receiver.answer = (res) => void res.writeHead(204).end();
    await press('Send again: Deck renamed', delivery().getByText('Delivered'));
    await delivery().getByText('2 attempts').waitFor();
    expect(stage.troubles).toEqual([]);
  });
});

describeInBrowser('the insights of a deck', () => {
  test('forget a reader after a question that says what happens', async () => {
    const owner = await stage.world.anOwner();
    const deck = await aReadDeck(owner);
    await stage.enter(owner, '/settings');
    await fill({ 'Email of the reader': 'Grace@example.com' }, 'Forget this reader');
    await stage.dialog().getByText('You cannot undo this.').waitFor();
    await answer('Forget this reader', toast('We are forgetting grace@example.com.'));
    await runJob('forgetReaders');
    expect((await visits(owner, deck)).map(({ email }) => email)).toEqual([null, null]);
  });

  test('name slides without a title by their number in the deck, or by their id', async () => {
    const owner = await stage.world.anOwner();
    const deck = await stage.world.aPushedDeck(owner);
    const slides = ['#4', '#agenda'].map((key, at) => ({ ...slide(key, at + 3, 12), title: '' }));
    await readOnce(deck, { seconds: 24, slideCount: 9, current: '#agenda', slides });
    await runJob('foldInsights');
    await stage.enter(owner, `/decks/${deck.presentationId}/insights`);
    await text('2 slides seen').click();
    const named = (table: string) =>
      stage.page.getByRole('table', { name: table, exact: true }).getByRole('rowheader').allInnerTexts();
    for (const table of ['Slide by slide', 'Slides'])
      await soon(async () => expect(await named(table)).toEqual(['Slide 4', '#agenda']));
  });

  test('say what will appear before the first visit, and a new account sees how to publish a deck', async () => {
    const owner = await stage.world.anOwner();
    await stage.enter(owner);
    await press(link('New deck').first(), heading('New deck', 1));
    const { presentationId } = await stage.world.aPushedDeck(owner);
    await stage.open();
    await heading('No visits yet').waitFor();
    await press(link('To your decks'), heading('Decks', 1));
    await stage.open(`/decks/${presentationId}/insights`);
    await press(link('Share this deck'), heading('Links'));
    expect(stage.troubles).toEqual([]);
  });
});

const ASKER = 'grace@reader.example';

describeInBrowser('a person without a link', () => {
  test('sees pages that fit, in both schemes', async () => {
    await stage.page.goto(`${stage.world.cloud.hostingUrl}/share/ask/${'a'.repeat(32)}`);
    await expectToFit(stage.page);
    await fill({ 'Your email address': 'ada@reader.example' }, 'Continue', heading('Enter your code'));
    await expectToFit(stage.page);
    expect(stage.troubles).toEqual([]);
  });

  test('asks for access without scripts, the owner allows it in the dashboard, and the mailed link opens', async () => {
    const { owner, world } = stage;
    const deck = await stage.aDeck([html('<title>Secret title</title><p>Secret numbers')], 'Secret title');
    await stage.arrive({ javaScriptEnabled: false });
    await stage.page.goto(`${originOf(world.cloud.deckOrigin!, labelOfToken(deck.tokenId))}/`);
    await stage.link('Ask for access').click();
    await heading('Ask for access').waitFor();
    const asker = { 'Your email address': ASKER, 'Who you are (optional)': 'We met at the fair' };
    await fill(asker, 'Continue', heading('Enter your code'));
    const code = await world.mailedCode(ASKER);
    await fill({ 'Code from the email': code }, 'Send the request', heading('Your request is sent'));

    await runJob('notifyOwners');
    const [mail] = await world.mails(owner.email);
    expect(mail!.text).toContain('/dashboard/requests');
    await stage.arrive();
    await stage.enter(owner, `/decks/${deck.presentationId}/links`);
    await stage.page.locator('.links').getByRole('link', { name: 'Requests for access' }).click();
    await text('We met at the fair').waitFor();
    await press(`Allow the request of ${ASKER}`, toast(`A link is on its way to ${ASKER}.`));
    await text('No open requests').waitFor();
    await stage.page.locator('summary').click();
    await stage.row(ASKER).getByText('Allowed').waitFor();

    const [shared] = await world.mails(ASKER);
    await stage.arrive();
    await stage.page.goto(/http\S+token=\S+/.exec(shared!.text)![0]);
    await fill({ 'Your email address': ASKER }, 'Continue', heading('Enter your code'));
    await fill({ 'Code from the email': await world.mailedCode(ASKER) }, 'Open the presentation');
    await text('Secret numbers').waitFor();
  });
});
