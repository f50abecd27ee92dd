import { columns } from '../columns';
import { commandLine } from '../command-line';
import { count, plain } from '../../../client/src/format';
import { localTime } from '../show-time';
import type { Terminal } from '../terminal';
import type { DeckInfo, Link } from '../verbs/links';

/** With it a line of an active link fits into 80 columns. */
const NAME_LENGTH = 28;

/** One line for each link, and the address of each active one below it. */
export function showLinks(
  info: DeckInfo,
  links: readonly Link[],
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
    if (isActive) terminal.say(link.shareUrl ? `  ${cyan(link.shareUrl)}` : dim('  its address is not known any more'));
  });
}

function whenSeen({ views, lastOpenedAt, revokedAt }: Link): string {
  const seen =
    lastOpenedAt === null ? count(views, 'view') : `${count(views, 'view')}, last ${localTime(lastOpenedAt)}`;
  return revokedAt === null ? seen : `${seen}, revoked ${localTime(revokedAt)}`;
}

function whyClosed({ closed, expiresAt }: DeckInfo, deckWords: readonly string[]): string {
  return closed === 'taken-down' || expiresAt === null
    ? 'Taken down by the operator of the service: no link opens.'
    : `Expired at ${localTime(expiresAt)}: no link opens. Open them again: ${commandLine('expire', 'never', ...deckWords)}`;
}
