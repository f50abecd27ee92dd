import { resolve } from 'node:path';
import { importExport } from '../../../client/src/account/import-export';
import { count, plain } from '../../../client/src/format';
import { withSession, type CommonOptions } from '../session';
import type { Terminal } from '../terminal';
import { stateFile } from '../upload-sessions';

/** Makes the decks of an exported account at the service of the key in use. */
export async function importAccount(folder: string, options: CommonOptions, terminal: Terminal): Promise<void> {
  await withSession(options, terminal, async ({ service, baseUrl }) => {
    const { green, bold } = terminal.colors;
    terminal.interruptHint = 'Run the same command again. It goes on where it stopped.';
    const decks = await importExport(service, {
      folder,
      statePath: stateFile('imports', resolve(folder), baseUrl),
      onDeck({ title, versions, links }) {
        terminal.say(
          `${green('✓')} ${bold(plain(title))}: ${count(versions, 'version')}, ${count(links.length, 'link')}`,
        );
        for (const { name, shareUrl, passcode } of links)
          terminal.say(`  ${plain(name)}  ${shareUrl}${passcode === undefined ? '' : `  passcode ${passcode}`}`);
      },
    });
    if (decks.length === 0) terminal.say('The export has no decks.');
    terminal.answer({ status: 'imported', baseUrl, decks });
  });
}
