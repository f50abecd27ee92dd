import { resolveAddress } from '../address';
import { claimFolder, releaseFolder, storeState } from '../../../client/src/download/download-state';
import { isFailure } from '../../../client/src/failure';
import { plain } from '../../../client/src/format';
import { commandLine } from '../command-line';
import { requireKey } from '../keys';
import { connect } from '../connect';
import { downloadDeck, shownFolder } from '../download-deck';
import type { Terminal } from '../terminal';
import type { PullOptions } from './pull-pushed';

/**
 * Downloads a deck into a folder that can be pushed. After an interruption, the same command resumes with the same
 * version.
 */
export async function pullIntoNewFolder(
  presentationId: string,
  folderName: string,
  options: PullOptions,
  terminal: Terminal,
): Promise<void> {
  const address = await resolveAddress(options);
  const { baseUrl } = address;
  const key = requireKey(address, terminal);
  const request = { source: presentationId, baseUrl, wantedVersion: options.version };
  const claimed = await claimFolder(folderName, request);
  const { folder, unfinished } = claimed;
  const service = connect(baseUrl, terminal, key);
  try {
    terminal.interruptHint = 'Run the same command again. It resumes the download.';
    const number = String(unfinished?.version ?? options.version ?? 'latest');
    const missing = `The deck ${presentationId}${number === 'latest' ? '' : ` or its version ${number}`}`;
    const version = await service
      .get('getPresentationVersion', { presentationId, version: number })
      .catch(async (error: unknown) => {
        if (!unfinished) await releaseFolder(claimed);
        if (!isFailure(error, 'not-found', 'permission-denied')) throw error;
        throw error.with({
          message: `${missing} does not exist, or you may not edit the deck.`,
          nextAction: `${commandLine('list')} shows the decks that you may edit.`,
        });
      });
    await storeState(folder, { ...request, presentationId, version: version.version });
    const outcome = await downloadDeck(service, { folder, baseUrl, presentationId }, version, terminal);
    const { green, bold } = terminal.colors;
    const shown = shownFolder(folder);
    terminal.say(
      `${green('✓')} Pulled version ${bold(String(version.version))} of ${bold(plain(version.title))} into ${bold(shown)}`,
    );
    terminal.say(`Next: change the files, then run: ${commandLine('push', shown)}`);
    terminal.answer({ status: 'pulled', ...outcome });
  } finally {
    service.close();
  }
}
