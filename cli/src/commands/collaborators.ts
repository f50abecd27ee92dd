import { Command } from 'commander';
import { columns } from '../columns';
import { commandLine } from '../command-line';
import { plain } from '../../../client/src/format';
import { changeDeck, withDeck } from '../session';
import { deliveryWords } from '../show-delivery';
import { localTime } from '../show-time';
import type { Terminal } from '../terminal';
import { inviteCollaborator, listCollaborators, removeCollaborator, type Collaborator } from '../verbs/collaborators';
import { deckArgument, deckOption, deckTarget, deckWords, type DeckOptions } from './deck-option';
import { leaveCommand } from './leave';

export function collaboratorsCommand(terminal: Terminal): Command {
  return new Command('collaborators')
    .description('list who may edit a deck; invite and remove collaborators')
    .argument('[deck]', deckArgument)
    .addOption(deckOption())
    .option('--all', 'also list those who were removed or left')
    .action((deck: string | undefined, _options, self: Command) => runList(deck, self.optsWithGlobals(), terminal))
    .addCommand(
      new Command('invite')
        .description('invite an email address to edit the deck')
        .argument('<email>', 'the address')
        .addOption(deckOption())
        .option('--message <text>', 'a message in the invitation')
        .action((email: string, _options, self: Command) => runInvite(email, self.optsWithGlobals(), terminal)),
    )
    .addCommand(
      new Command('remove')
        .description('remove a collaborator, or withdraw an invitation')
        .argument('<email>', 'the address')
        .addOption(deckOption())
        .action((email: string, _options, self: Command) => runRemove(email, self.optsWithGlobals(), terminal)),
    )
    .addCommand(leaveCommand(terminal));
}

async function runList(
  argument: string | undefined,
  options: DeckOptions & { all?: boolean },
  terminal: Terminal,
): Promise<void> {
  const target = deckTarget(argument, options);
  await withDeck(target, options, terminal, async ({ service, presentationId }) => {
    const all = await listCollaborators(service, { presentationId });
    const collaborators = options.all ? all : all.filter(({ status }) => status !== 'revoked');
    if (collaborators.length === 0)
      terminal.say(
        `Nobody else may edit this deck. Invite: ${commandLine('collaborators', 'invite', '<email>', ...deckWords(target))}`,
      );
    const rows = collaborators.map((row) => [plain(row.email), plain(row.displayName ?? ''), stateOf(row)]);
    const hasNames = rows.some(([, name]) => name !== '');
    for (const line of columns(hasNames ? rows : rows.map(([email = '', , state = '']) => [email, state])))
      terminal.say(line);
    terminal.answer({ presentationId, collaborators });
  });
}

function stateOf({ status, invitedAt, activatedAt, revokedAt, delivery }: Collaborator): string {
  if (status === 'revoked') return `removed ${localTime(revokedAt ?? invitedAt)}`;
  if (status === 'active') return `active since ${localTime(activatedAt ?? invitedAt)}`;
  const isMissing = delivery && delivery.state !== 'delivered';
  return `invited ${localTime(invitedAt)}, ${isMissing ? deliveryWords(delivery) : 'no account yet'}`;
}

async function runInvite(
  email: string,
  options: DeckOptions & { message?: string },
  terminal: Terminal,
): Promise<void> {
  await changeDeck(deckTarget(undefined, options), options, terminal, async ({ service, presentationId }) => {
    const collaborator = await inviteCollaborator(service, { presentationId, email, message: options.message });
    const { green, bold } = terminal.colors;
    const address = bold(plain(collaborator.email));
    terminal.say(
      collaborator.status === 'active'
        ? `${green('✓')} ${address} may now edit the deck. It is in their list of decks.`
        : `${green('✓')} ${address} is invited, and may edit the deck after signing up.`,
    );
    terminal.answer({ presentationId, collaborator });
  });
}

async function runRemove(email: string, options: DeckOptions, terminal: Terminal): Promise<void> {
  const target = deckTarget(undefined, options);
  await changeDeck(target, options, terminal, async ({ service, presentationId }) => {
    const collaborator = await removeCollaborator(service, { presentationId, deckWords: deckWords(target), email });
    const { green, bold } = terminal.colors;
    terminal.say(`${green('✓')} ${bold(plain(collaborator.email))} may no longer edit the deck.`);
    terminal.answer({ presentationId, collaborator });
  });
}
