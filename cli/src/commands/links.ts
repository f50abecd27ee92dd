import { Command } from 'commander';
import { commandLine } from '../command-line';
import { usageFailure } from '../../../client/src/failure';
import { count, plain } from '../../../client/src/format';
import { columns } from '../columns';
import { changeDeck, withDeck } from '../session';
import { forgetLink } from '../share-link';
import { localOffset, localTime } from '../show-time';
import type { Terminal } from '../terminal';
import {
  addLink,
  listLinks,
  revokeAllLinks,
  revokeLink,
  setLinkVersion,
  updateLink,
  withReaders,
  type DeckInfo,
  type Link,
} from '../verbs/links';
import { confirm } from './confirm';
import { deckArgument, deckOption, deckTarget, deckWords, type DeckOptions } from './deck-option';
import { expiryWords, rulesOf, ruleWords, withRules, type RuleOptions } from './link-rules';
import { wholeNumber } from './option-values';

const argumentTexts: Record<string, string> = {
  name: 'for whom the link is, such as "Board meeting"',
  link: 'the name or the id of the link',
  version: 'the number of the version',
};

const SHORT = 'give the link a short address too, to type or to scan';

type Run<O extends DeckOptions = DeckOptions> = (words: string[], options: O, terminal: Terminal) => Promise<void>;

export function linksCommand(terminal: Terminal): Command {
  const sub = <O extends DeckOptions>(words: string, description: string, run: Run<O>) => {
    const [name, ...args] = words.split(' ');
    const command = new Command(name).description(description).addOption(deckOption());
    for (const each of args) command.argument(each, argumentTexts[each.slice(1, -1)]);
    return command.action((...given) => {
      const self = given.at(-1) as Command;
      return run(self.args, self.optsWithGlobals(), terminal);
    });
  };
  return new Command('links')
    .description('list the links of a deck with their views; add, change, pin and revoke links')
    .argument('[deck]', deckArgument)
    .addOption(deckOption())
    .option('--all', 'also list revoked links')
    .option('--allowed', 'also list who may open the links')
    .action((deck: string | undefined, _options, self: Command) => runList(deck, self.optsWithGlobals(), terminal))
    .addCommand(
      withRules(
        sub('add <name>', 'make another link, with a name and view counter of its own', runAdd).option(
          '--pin <version>',
          'the link stays on this version (default: it follows the latest one)',
          wholeNumber,
        ),
      ).option('--short', SHORT),
    )
    .addCommand(
      withRules(
        sub('set <link>', 'change the name and the rules of a link', runSet).option(
          '--name <name>',
          argumentTexts['name'],
        ),
      )
        .option('--no-passcode', 'readers need no passcode any more')
        .option('--short', SHORT)
        .option('--no-short', 'take the short address away for ever'),
    )
    .addCommand(sub('pin <link> <version>', 'make a link stay on a version', runPin))
    .addCommand(sub('follow <link>', 'make a link follow the latest version', runFollow))
    .addCommand(
      sub('revoke [link]', 'revoke a link for ever, or all links', runRevoke)
        .option('--all', 'revoke every link of the deck')
        .option('--yes', 'do not ask before all links are revoked'),
    );
}

async function runList(
  argument: string | undefined,
  options: DeckOptions & { all?: boolean; allowed?: boolean },
  terminal: Terminal,
): Promise<void> {
  const target = deckTarget(argument, options);
  await withDeck(target, options, terminal, async ({ service, presentationId }) => {
    const { info, links } = await listLinks(service, presentationId);
    const listed = options.all ? links : links.filter(({ state }) => state !== 'revoked');
    const shown = options.allowed ? await withReaders(service, presentationId, listed) : listed;
    showLinks(info, shown, deckWords(target), terminal);
    const hidden = links.length - shown.length;
    if (shown.length === 0)
      terminal.say(`No link opens this deck. Make one: ${commandLine('links', 'add', '<name>', ...deckWords(target))}`);
    if (hidden > 0) terminal.say(terminal.colors.dim(`${count(hidden, 'revoked link')} not shown (--all shows them)`));
    const { title, version, expiresAt, closed } = info;
    terminal.answer({ presentationId, title, version, expiresAt, closed, links: shown });
  });
}

const runAdd: Run<DeckOptions & RuleOptions & { pin?: number }> = async ([name = ''], options, terminal) => {
  const target = deckTarget(undefined, options);
  const rules = await rulesOf(options, terminal);
  await changeDeck(target, options, terminal, async ({ service, presentationId }) => {
    const made = { presentationId, deckWords: deckWords(target), name, pin: options.pin, ...rules };
    const link = await addLink(service, made);
    const { green, bold } = terminal.colors;
    const mode = link.pinnedVersion === null ? 'follows the latest version' : `stays on version ${link.pinnedVersion}`;
    terminal.say(`${green('✓')} Made the link ${bold(plain(link.name))}, which ${mode}`);
    if (link.expiresAt !== null) terminal.say(`  ${stopWords(link.expiresAt)}`);
    sayRules(link, terminal);
    sayAddresses(link, terminal);
    terminal.answer({ presentationId, link });
  });
};

/** The addresses of a link, the short one first. */
function sayAddresses({ shareUrl, shortUrl }: Pick<Link, 'shareUrl' | 'shortUrl'>, terminal: Terminal): void {
  const known = [shortUrl, shareUrl].filter((url) => url !== null);
  if (known.length > 0) terminal.say(`\n${known.map((url) => `  ${terminal.colors.cyan(url)}\n`).join('')}`);
}

function sayRules(link: Parameters<typeof ruleWords>[0], terminal: Terminal): void {
  const words = ruleWords(link);
  if (words.length > 0) terminal.say(`  Rules: ${words.join(' · ')}`);
}

const stopWords = (expiresAt: string) => `Expires at ${localTime(expiresAt)} (${localOffset(expiresAt)})`;

const runPin: Run = async ([link = '', version = ''], options, terminal) => {
  if (!/^\d+$/.test(version)) throw usageFailure(`"${version}" is not a version: it must be a whole number.`);
  await setVersion(link, Number(version), options, terminal);
};

const runFollow: Run = ([link = ''], options, terminal) => setVersion(link, null, options, terminal);

async function setVersion(
  name: string,
  version: number | null,
  options: DeckOptions,
  terminal: Terminal,
): Promise<void> {
  const target = deckTarget(undefined, options);
  await changeDeck(target, options, terminal, async ({ service, presentationId }) => {
    const named = { presentationId, deckWords: deckWords(target), link: name };
    const link = await setLinkVersion(service, { ...named, version });
    const { green, bold } = terminal.colors;
    const mode =
      link.pinnedVersion === null
        ? `follows the latest version, which is ${link.servedVersion} now`
        : `stays on version ${link.pinnedVersion}`;
    terminal.say(`${green('✓')} The link ${bold(plain(link.name))} ${mode}`);
    terminal.answer({ presentationId, link });
  });
}

const runSet: Run<DeckOptions & RuleOptions & { name?: string }> = async ([name = ''], options, terminal) => {
  const change = { name: options.name, ...(await rulesOf(options, terminal)) };
  if (Object.values(change).every((value) => value === undefined))
    throw usageFailure('The command names no change.', 'Pass --name or a rule, such as --expires.');
  const target = deckTarget(undefined, options);
  await changeDeck(target, options, terminal, async ({ service, presentationId }) => {
    const link = await updateLink(service, { presentationId, deckWords: deckWords(target), link: name, ...change });
    const { green, bold } = terminal.colors;
    terminal.say(`${green('✓')} Changed the link ${bold(plain(link.name))}`);
    if (link.state !== 'revoked')
      terminal.say(`  ${link.expiresAt === null ? 'Does not expire' : stopWords(link.expiresAt)}`);
    sayRules(link, terminal);
    sayAddresses(link, terminal);
    terminal.answer({ presentationId, link });
  });
};

const runRevoke: Run<DeckOptions & { all?: boolean; yes?: boolean }> = async ([link], options, terminal) => {
  const target = deckTarget(undefined, options);
  const words = deckWords(target);
  if ((link === undefined) === (options.all === undefined))
    throw usageFailure(
      'Name one link, or pass --all.',
      `\`${commandLine('links', ...words)}\` shows the links of a deck.`,
    );
  await changeDeck(target, options, terminal, async ({ service, presentationId, baseUrl }) => {
    const { green, bold } = terminal.colors;
    if (link !== undefined) {
      const revoked = await revokeLink(service, { presentationId, deckWords: words, link });
      const when = revoked.alreadyRevoked
        ? `was revoked at ${revoked.revokedAt}`
        : 'is revoked: it no longer opens the deck';
      terminal.say(`${green('✓')} The link ${bold(plain(revoked.name))} ${when}`);
      await forgetLink({ baseUrl, presentationId }, terminal, revoked.shareUrl);
      terminal.answer({ presentationId, revoked: [revoked] });
      return;
    }
    const { info, links } = await listLinks(service, presentationId);
    const active = links.filter(({ state }) => state === 'active');
    if (active.length > 0)
      await confirm(`Revoke ${count(active.length, 'link')} of "${plain(info.title)}"?`, options, terminal);
    const ids = await revokeAllLinks(service, presentationId);
    await forgetLink({ baseUrl, presentationId }, terminal);
    terminal.say(
      `${green('✓')} ${ids.length === 0 ? 'There was no active link' : `Revoked ${count(ids.length, 'link')}`}`,
    );
    terminal.answer({ presentationId, revoked: links.filter(({ id }) => ids.includes(id)) });
  });
};

/** With it a line of an active link fits into 80 columns. */
const NAME_LENGTH = 28;

/** One line for each link, and its rules and the address of an active one below it. */
function showLinks(
  info: DeckInfo,
  links: readonly (Link & { allowedEmails?: string[] | null })[],
  deckWords: readonly string[],
  terminal: Terminal,
): void {
  const { bold, cyan, dim, yellow } = terminal.colors;
  terminal.say(`${bold(plain(info.title))}  version ${info.version}`);
  if (info.closed !== null) terminal.say(yellow(whyClosed(info, deckWords)));
  const lines = columns(
    links.map((link) => [
      plain(link.name),
      link.state,
      link.pinnedVersion === null ? 'latest' : `version ${link.pinnedVersion}`,
      whenSeen(link),
    ]),
    NAME_LENGTH,
  );
  links.forEach((link, i) => {
    const isActive = link.state === 'active';
    terminal.say(isActive ? lines[i] : dim(lines[i] ?? ''));
    const rules = link.state === 'revoked' ? [] : [...expiryWords(link), ...ruleWords(link)];
    if (rules.length > 0) terminal.say(dim(`  ${rules.join(' · ')}`));
    if (link.allowedEmails) terminal.say(dim(`  for ${link.allowedEmails.map(plain).join(', ')}`));
    if (isActive && link.shortUrl) terminal.say(`  ${cyan(link.shortUrl)}`);
    if (isActive)
      terminal.say(link.shareUrl ? `  ${cyan(link.shareUrl)}` : dim('  the service no longer knows its address'));
  });
}

function whenSeen({ views, lastOpenedAt, revokedAt }: Link): string {
  const seen =
    lastOpenedAt === null ? count(views, 'view') : `${count(views, 'view')}, last ${localTime(lastOpenedAt)}`;
  return revokedAt === null ? seen : `${seen}, revoked ${localTime(revokedAt)}`;
}

function whyClosed({ closed, expiresAt }: DeckInfo, deckWords: readonly string[]): string {
  return closed === 'taken-down' || expiresAt === null
    ? 'The operator of the service took this deck down: its links no longer open it.'
    : `This deck expired at ${localTime(expiresAt)}: its links no longer open it. To open it again: ${commandLine('expire', 'never', ...deckWords)}`;
}
