import { Command } from 'commander';
import { resolveAddress } from '../address';
import { bringHome, shownFolder } from '../download/bring-home';
import { claimFolder, noteUnfinished, releaseFolder } from '../download/unfinished';
import { isFailure } from '../failure';
import { requireKey } from '../keys';
import { connect } from '../service/connect';
import type { Terminal } from '../terminal';
import { plain } from '../terminal';
import { wholeNumber } from './option-values';

interface PullOptions {
  baseUrl?: string;
  version?: number;
}

export function pullCommand(terminal: Terminal): Command {
  return new Command('pull')
    .description('bring the files of a deck that you may edit into a new folder')
    .argument('<id>', 'the id of the deck, as `deck list` shows it')
    .argument('<folder>', 'where the files go: a folder that is empty or not there yet')
    .option('--version <number>', 'the version to bring (default: the current one)', wholeNumber)
    .action((id: string, folder: string, _options, self: Command) =>
      runPull(id, folder, self.optsWithGlobals(), terminal),
    );
}

/**
 * `deck pull <id> <folder>`: brings the files of a deck that the caller may edit into a folder of its own, from which `deck push` goes on. Cut
 * off, it goes on with the same version when it is run again.
 */
async function runPull(
  presentationId: string,
  folderName: string,
  options: PullOptions,
  terminal: Terminal,
): Promise<void> {
  const address = resolveAddress(options.baseUrl);
  const { baseUrl } = address;
  const key = await requireKey(address);
  const wish = { source: presentationId, baseUrl, wantedVersion: options.version };
  const place = await claimFolder(folderName, wish);
  const { folder, unfinished } = place;
  const service = connect(baseUrl, terminal, key);
  try {
    terminal.interruptHint = 'Run the same command again: it goes on where it stopped.';
    const number = String(unfinished?.version ?? options.version ?? 'latest');
    const version = await service
      .get('getPresentationVersion', { presentationId, version: number })
      .catch(async (error: unknown) => {
        if (!unfinished) await releaseFolder(place);
        if (!isFailure(error, 'not-found', 'permission-denied')) throw error;
        throw error.with({ nextAction: 'See `deck list` for the decks that you may edit.' });
      });
    await noteUnfinished(folder, { ...wish, presentationId, version: version.version });
    const outcome = await bringHome(service, { folder, baseUrl, presentationId }, version, terminal);
    const { green, bold } = terminal.colors;
    const shown = shownFolder(folder);
    terminal.say(
      `${green('✓')} Pulled version ${bold(String(version.version))} of ${bold(plain(version.title))} into ${bold(shown)}`,
    );
    terminal.say(`Next: change it, then: deck push ${shown}`);
    terminal.answer({ status: 'pulled', ...outcome });
  } finally {
    service.close();
  }
}
