import { Webhook } from 'standardwebhooks';
import { passSeconds } from '../support/clock';
import { runJob } from '../support/jobs';
import { startReceiver, type Receiver } from '../support/receiver';
import { aReader } from '../support/views';
import type { WebhookRow } from '../support/webhooks';
import { page, type Account } from '../support/world';
import { describeInBrowser, soon } from './browser';
import { DashboardStage } from './dashboard';

/** The pages of what happened, and of the addresses to which it is sent. */

const stage = new DashboardStage({ deckOrigin: true });
const { alert, button, dialog, field, press, text, toast } = stage;
let owner: Account;

describeInBrowser('webhooks in the dashboard', () => {
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

    await press(/^Send a test/, toast('The event arrived.'));
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

describeInBrowser('the activity in the dashboard', () => {
  test('tells what happened and who did it, filters it in the address, and leads to the deck', async () => {
    owner = await stage.world.anOwner();
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
    await (await (await aReader(deck)).load()).tell();

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
    await press(rows.nth(1).getByRole('link'), stage.heading(evil, 1));
    expect(stage.page.url()).toBe(stage.address(`/decks/${deck.presentationId}/links`));
    expect(stage.troubles).toEqual([]);
  });
});
