import { Command, Option } from 'commander';
import { columns } from '../columns';
import { commandLine } from '../command-line';
import { Failure, usageFailure } from '../../../client/src/failure';
import { count, plain } from '../../../client/src/format';
import { withDeck, changeDeck, type DeckSession } from '../session';
import { deliveryWords } from '../show-delivery';
import { localTime } from '../show-time';
import { reachOf } from '../show-views';
import type { Terminal } from '../terminal';
import { listMails, mailDeck, type LoggedMail, type MailRequest } from '../verbs/mailing';
import { deckOption, deckTarget, deckWords, type DeckOptions } from './deck-option';
import { ruleNames, rulesOf, withRules, type RuleOptions } from './link-rules';
import { wholeNumber } from './option-values';

interface EmailOptions extends DeckOptions, RuleOptions {
  message?: string;
  subject?: string;
  link?: string;
  requireEmail?: boolean;
  log?: boolean;
  limit?: number;
  cursor?: string;
}

const LOGGED_MAILS = 50;

const HELP = `
Each recipient gets a link of their own, which has the address as its name: \`deck links\` shows who opened the deck, and
it can be revoked alone. With --link all recipients get the same link. One command mails at most 20 addresses.
The exit code is 6 when some mails were sent and others were not; --json has both lists in details.`;

export function emailCommand(terminal: Terminal): Command {
  const mail = new Command('email')
    .description('email the link of a deck, or list the emails that were sent')
    .argument('[addresses...]', 'the addresses of the recipients')
    .addOption(deckOption())
    .option('--message <text>', 'a message in the mail')
    .option('--subject <text>', 'the subject of the mail')
    .addOption(
      new Option('--link <name|id>', 'mail this link to all recipients').conflicts(['requireEmail', ...ruleNames]),
    )
    .addOption(new Option('--require-email', 'each new link opens for its recipient alone').conflicts('allow'));
  return withRules(mail)
    .option('--log', 'list the mails that were sent, newest first')
    .option('--limit <number>', `the number of mails to list, 1 to 100 (default: ${LOGGED_MAILS})`, wholeNumber)
    .option('--cursor <cursor>', 'list the mails before those of an earlier list')
    .addHelpText('after', HELP)
    .action((emails: string[], _options, self: Command) => runEmail(emails, self.optsWithGlobals(), terminal));
}

async function runEmail(emails: string[], options: EmailOptions, terminal: Terminal): Promise<void> {
  const target = deckTarget(undefined, options);
  if (options.log && emails.length > 0) throw usageFailure('--log takes no addresses.');
  if (!options.log && emails.length === 0)
    throw usageFailure('To whom?', `Name addresses: ${commandLine('email', 'ada@example.org')}`);
  const words = deckWords(target);
  if (options.log) return withDeck(target, options, terminal, (deck) => showLog(deck, options, words, terminal));
  const { message, subject, link, requireEmail } = options;
  const mails = {
    deckWords: words,
    emails,
    message,
    subject,
    link,
    requireEmail,
    ...(await rulesOf(options, terminal)),
  };
  return changeDeck(target, options, terminal, (deck) => send(deck, mails, terminal));
}

async function send(
  { service, presentationId }: DeckSession,
  mails: Omit<MailRequest, 'presentationId'>,
  terminal: Terminal,
): Promise<void> {
  const { sent, failed, summary } = await mailDeck(service, { ...mails, presentationId });
  const { green, red } = terminal.colors;
  const rows = [
    ...sent.map(({ email }) => ({ mark: green('✓'), cells: [plain(email), 'sent'] })),
    ...failed.map(({ email, message: reason }) => ({ mark: red('✗'), cells: [plain(email), reason] })),
  ];
  const lines = columns(rows.map(({ cells }) => cells));
  rows.forEach(({ mark }, i) => terminal.say(`${mark} ${lines[i]}`));
  if (sent.length === 0) {
    const isWrong = failed.every(({ code }) => code === 'invalid-email');
    throw new Failure('No mail was sent.', {
      code: isWrong ? 'wrong-address' : 'not-sent',
      nextAction: isWrong
        ? 'Use addresses such as ada@example.org.'
        : `\`${commandLine('email', '--log', ...(mails.deckWords ?? []))}\` shows why each mail was not sent.`,
      details: { presentationId, failed, summary },
    });
  }
  if (failed.length > 0)
    throw new Failure(
      `${failed.length} of ${count(summary.total, 'mail')} ${failed.length === 1 ? 'was' : 'were'} not sent.`,
      {
        code: 'sent-in-part',
        nextAction: `When the reason is gone, send again to ${failed.map(({ email }) => plain(email)).join(', ')} only.`,
        details: { presentationId, sent, failed, summary },
      },
    );
  terminal.answer({ presentationId, sent, failed, summary });
}

async function showLog(
  { service, presentationId }: DeckSession,
  { limit = LOGGED_MAILS, cursor }: EmailOptions,
  words: readonly string[],
  terminal: Terminal,
): Promise<void> {
  if (limit < 1 || limit > 100) throw usageFailure('--limit must be 1 to 100.');
  const { mails, nextCursor } = await listMails(service, { presentationId, limit, cursor });
  if (mails.length === 0) terminal.say(cursor === undefined ? 'No mail was sent yet.' : 'There are no older mails.');
  const rows = mails.map((mail) => [localTime(mail.sentAt), plain(mail.email), whatBecameOf(mail)]);
  for (const line of columns(rows)) terminal.say(line);
  if (nextCursor !== null)
    terminal.say(`\nOlder mails: ${commandLine('email', '--log', '--cursor', nextCursor, ...words)}`);
  terminal.answer({ presentationId, mails, nextCursor });
}

/** In words: `delivered, opened 3 times, read to slide 9 of 12`, `bounced: …, not opened`, `not sent: …`. */
function whatBecameOf({ code, link, opening, delivery }: LoggedMail): string {
  if (code !== null) return `not sent: ${reasons[code]}`;
  const reach = opening ? reachOf(opening) : '';
  const opened = link && (link.views === 0 && !opening ? 'not opened' : `opened ${count(link.views, 'time')}`);
  const words = [
    delivery ? deliveryWords(delivery) : 'sent',
    opened ?? (opening && 'opened'),
    reach && `read ${reach}`,
  ];
  return [...words, link && link.state !== 'active' && `link ${link.state}`].filter(Boolean).join(', ');
}

const reasons: Record<NonNullable<LoggedMail['code']>, string> = {
  'invalid-email': 'not an email address',
  'recipient-suppressed': 'the recipient has unsubscribed, or mails bounced',
  'provider-rejected': 'refused by the mail provider',
  'provider-rate-limited': 'rate limit of the mail provider',
  'provider-unavailable': 'no answer from the mail provider',
};
