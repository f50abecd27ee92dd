import { Command, Option } from 'commander';
import { plain } from '../../../client/src/format';
import type { DeckService } from '../../../client/src/service/service';
import { columns } from '../columns';
import { commandLine } from '../command-line';
import { withSession, type CommonOptions } from '../session';
import { localTime } from '../show-time';
import type { Terminal } from '../terminal';
import { addWebhook, eventTypesOf, findWebhook, type Delivery, type NewWebhook, type Webhook } from '../verbs/webhooks';
import { wholeNumber } from './option-values';
import { listenForEvents, type ListenOptions } from './webhooks-listen';

const NAMED = 'the id or the address of the webhook';
const LISTED_DELIVERIES = 20;
const EVENTS = 'the types of events, with commas between them (default: all)';

const ADD_HELP = `
The types of events: presentation.published, .version_created, .renamed and .deleted; link.created, .changed, .revoked
and .opened; view.ended; collaborator.invited, .activated and .removed; email.sent, .failed, .delivered, .bounced and
.complained; listing.published, .updated, .starred, .remixed and .taken_down; key.created and .revoked; session.created;
webhook.created and .disabled; deliveries.dropped; account.changed.`;

const LISTEN_HELP = `
The events arrive on this computer without a public address: the command asks the service every 3 seconds, and sends each
event to your program as the service would, signed with the secret that it shows. An event comes about 15 seconds after it
happened. Ctrl-C ends the command.`;

export function webhooksCommand(terminal: Terminal): Command {
  const webhooks = new Command('webhooks').description(
    'send events to a program: who opened a link, which mail bounced',
  );
  webhooks
    .command('list', { isDefault: true })
    .description('list the webhooks')
    .action((_options, self: Command) => runList(self.optsWithGlobals(), terminal));
  webhooks
    .command('add')
    .description('send events to an address, and show the secret once')
    .argument('<url>', 'the https address of your program')
    .option('--events <types>', EVENTS, '*')
    .addOption(
      new Option('--format <format>', 'slack sends a line for people, as Slack takes it (default: standard)').choices([
        'standard',
        'slack',
      ]),
    )
    .option('--description <text>', 'what the webhook is for')
    .option('--include-readers', 'send the addresses of readers, too')
    .addHelpText('after', ADD_HELP)
    .action((url: string, _options, self: Command) => runAdd(url, self.optsWithGlobals(), terminal));
  webhooks
    .command('test')
    .description('send an event "test", and show the answer')
    .argument('<webhook>', NAMED)
    .action((named: string, _options, self: Command) => runTest(named, self.optsWithGlobals(), terminal));
  webhooks
    .command('deliveries')
    .description('list what was sent in the last 7 days')
    .argument('<webhook>', NAMED)
    .option('--limit <number>', `show at most so many (default: ${LISTED_DELIVERIES})`, wholeNumber, LISTED_DELIVERIES)
    .option('--cursor <cursor>', 'list the deliveries before those of an earlier list')
    .action((named: string, _options, self: Command) => runDeliveries(named, self.optsWithGlobals(), terminal));
  webhooks
    .command('redeliver')
    .description('send an event again, at once')
    .argument('<delivery>', 'the id of the delivery')
    .action((id: string, _options, self: Command) => runRedeliver(id, self.optsWithGlobals(), terminal));
  webhooks
    .command('rotate')
    .description('make another secret; the one before signs for 24 hours, too')
    .argument('<webhook>', NAMED)
    .action((named: string, _options, self: Command) => runRotate(named, self.optsWithGlobals(), terminal));
  for (const status of ['active', 'disabled'] as const)
    webhooks
      .command(status === 'active' ? 'enable' : 'disable')
      .description(status === 'active' ? 'send events again' : 'send no events for now')
      .argument('<webhook>', NAMED)
      .action((named: string, _options, self: Command) => runStatus(named, status, self.optsWithGlobals(), terminal));
  webhooks
    .command('remove')
    .description('delete a webhook')
    .argument('<webhook>', NAMED)
    .action((named: string, _options, self: Command) => runRemove(named, self.optsWithGlobals(), terminal));
  webhooks
    .command('listen')
    .description('show events as they happen, and send them to a program on this computer')
    .option('--forward <url>', 'the address of your program, such as http://127.0.0.1:3000/hook')
    .option('--events <types>', EVENTS, '*')
    .option('--include-readers', 'with the addresses of readers')
    .addHelpText('after', LISTEN_HELP)
    .action((_options, self: Command) => listenForEvents(self.optsWithGlobals<ListenOptions>(), terminal));
  return webhooks;
}

async function runList(options: CommonOptions, terminal: Terminal): Promise<void> {
  await withSession(options, terminal, async ({ service }) => {
    const { webhooks, limit } = await service.get('listWebhooks');
    if (webhooks.length === 0)
      terminal.say(`No program gets your events. Add one: ${commandLine('webhooks', 'add', '<url>')}`);
    const rows = webhooks.map((each) => [each.webhookId, plain(each.url), each.events.join(', '), stateOf(each)]);
    for (const line of columns(rows)) terminal.say(line);
    if (webhooks.length > 0) terminal.say(terminal.colors.dim(`${webhooks.length} of ${limit} webhooks`));
    terminal.answer({ webhooks, limit });
  });
}

function stateOf({ status, disabledBy, failingSince }: Webhook): string {
  const why = { user: '', 'key-revoked': ': its key was revoked', failures: ': nothing arrived for 5 days' };
  if (status === 'disabled') return `disabled${disabledBy ? why[disabledBy] : ''}`;
  return failingSince ? `failing since ${localTime(failingSince)}` : 'active';
}

type AddOptions = CommonOptions & Omit<NewWebhook, 'url' | 'events'> & { events: string };

async function runAdd(url: string, options: AddOptions, terminal: Terminal): Promise<void> {
  await withSession(options, terminal, async ({ service }) => {
    const { events, format, description, includeReaders } = options;
    const added = { url, events: eventTypesOf(events), format, description, includeReaders };
    const { webhook, secret } = await addWebhook(service, added);
    const { green } = terminal.colors;
    terminal.say(`${green('✓')} Events are sent to ${plain(webhook.url)}`);
    terminal.say(`  ${webhook.webhookId}`);
    showSecret(secret, terminal);
    terminal.say(`Try it: ${commandLine('webhooks', 'test', webhook.webhookId)}`);
    terminal.answer({ webhook, secret });
  });
}

function showSecret(secret: string, terminal: Terminal): void {
  terminal.say(`\n  ${terminal.colors.bold(secret)}\n`);
  terminal.say('Your program checks the signatures with this secret. It is not shown again.');
}

/** Runs `work` for the webhook that the user names. */
const withWebhook = (
  named: string,
  options: CommonOptions,
  terminal: Terminal,
  work: (service: DeckService, webhook: Webhook) => Promise<void>,
) => withSession(options, terminal, async ({ service }) => work(service, await findWebhook(service, named)));

const runTest = (named: string, options: CommonOptions, terminal: Terminal) =>
  withWebhook(named, options, terminal, async (service, { webhookId }) => {
    const { delivery } = await service.post('sendTestEvent', { webhookId });
    showOutcome(delivery, terminal);
  });

async function runRedeliver(deliveryId: string, options: CommonOptions, terminal: Terminal): Promise<void> {
  await withSession(options, terminal, async ({ service }) => {
    const { delivery } = await service.post('redeliverWebhook', { deliveryId });
    showOutcome(delivery, terminal);
  });
}

/** Shows what came of one request. */
function showOutcome(delivery: Delivery, terminal: Terminal): void {
  const { green, red } = terminal.colors;
  const { status, lastStatus, lastAnswer, type } = delivery;
  const isDelivered = status === 'delivered';
  terminal.say(`${isDelivered ? green('✓') : red('✗')} ${type} was ${isDelivered ? 'delivered' : 'not delivered'}`);
  terminal.say(`  ${lastStatus === null ? 'No answer' : `Status ${lastStatus}`}${answerIn(lastAnswer)}`);
  terminal.answer({ delivery });
}

const answerIn = (text: string | null) => (text ? `: ${plain(text).replace(/\s+/g, ' ').slice(0, 200)}` : '');

type DeliveriesOptions = CommonOptions & { limit: number; cursor?: string };

const runDeliveries = (named: string, options: DeliveriesOptions, terminal: Terminal) =>
  withWebhook(named, options, terminal, async (service, { webhookId }) => {
    const { limit, cursor } = options;
    const query = { webhookId, limit: String(limit), ...(cursor !== undefined && { cursor }) };
    const { deliveries, nextCursor } = await service.get('listWebhookDeliveries', query);
    if (deliveries.length === 0) terminal.say('Nothing was sent in the last 7 days.');
    const rows = deliveries.map(({ deliveryId, createdAt, type, status, lastStatus, lastAnswer, attempts }) => [
      ...[localTime(createdAt), deliveryId, type, status],
      `${lastStatus ?? 'no answer'}${attempts > 1 ? ` after ${attempts} attempts` : ''}${status === 'delivered' ? '' : answerIn(lastAnswer)}`,
    ]);
    for (const line of columns(rows)) terminal.say(line);
    if (nextCursor !== null)
      terminal.say(`\nOlder: ${commandLine('webhooks', 'deliveries', webhookId, '--cursor', nextCursor)}`);
    terminal.answer({ deliveries, nextCursor });
  });

const runRotate = (named: string, options: CommonOptions, terminal: Terminal) =>
  withWebhook(named, options, terminal, async (service, { webhookId }) => {
    const { secret, oldUntil } = await service.post('rotateWebhookSecret', { webhookId }, { canRepeat: false });
    terminal.say(`${terminal.colors.green('✓')} The secret before signs, too, until ${localTime(oldUntil)}`);
    showSecret(secret, terminal);
    terminal.answer({ webhookId, secret, oldUntil });
  });

const runStatus = (named: string, status: Webhook['status'], options: CommonOptions, terminal: Terminal) =>
  withWebhook(named, options, terminal, async (service, { webhookId }) => {
    const { webhook } = await service.post('updateWebhook', { webhookId, status });
    const said = status === 'active' ? 'Events are sent to' : 'No events are sent to';
    terminal.say(`${terminal.colors.green('✓')} ${said} ${plain(webhook.url)}`);
    terminal.answer({ webhook });
  });

const runRemove = (named: string, options: CommonOptions, terminal: Terminal) =>
  withWebhook(named, options, terminal, async (service, { webhookId, url }) => {
    await service.post('deleteWebhook', { webhookId });
    terminal.say(`${terminal.colors.green('✓')} The webhook for ${plain(url)} is deleted`);
    terminal.answer({ webhookId });
  });
