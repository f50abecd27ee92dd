import { Command } from 'commander';
import { count } from '../../../client/src/format';
import { withSession, type CommonOptions } from '../session';
import type { Terminal } from '../terminal';
import { starListing } from '../verbs/marketplace';

export function starCommand(terminal: Terminal): Command {
  return new Command('star')
    .description('star a listing of the marketplace (needs a key of `login --publish`)')
    .argument('<slug>', 'the slug of the listing')
    .action((slug: string, _options, self: Command) => runStar(slug, true, self.optsWithGlobals(), terminal));
}

export function unstarCommand(terminal: Terminal): Command {
  return new Command('unstar')
    .description('remove your star from a listing (needs a key of `login --publish`)')
    .argument('<slug>', 'the slug of the listing')
    .action((slug: string, _options, self: Command) => runStar(slug, false, self.optsWithGlobals(), terminal));
}

async function runStar(slug: string, isStarred: boolean, options: CommonOptions, terminal: Terminal): Promise<void> {
  const answer = await withSession(options, terminal, ({ service }) => starListing(service, { slug, isStarred }));
  const { green, bold } = terminal.colors;
  const done = isStarred ? 'has your star' : 'does not have your star';
  terminal.say(`${green('✓')} ${bold(slug)} ${done}; it has ${count(answer.stars, 'star')}.`);
  terminal.answer(answer);
}
