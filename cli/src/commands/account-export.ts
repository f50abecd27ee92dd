import { setTimeout as pause } from 'node:timers/promises';
import { downloadExport, requireExportFolder } from '../../../client/src/account/download-export';
import { Failure } from '../../../client/src/failure';
import { count, formatBytes } from '../../../client/src/format';
import type { Contract } from '../../../client/src/service/contract';
import type { DeckService } from '../../../client/src/service/service';
import { withAccountSession, withActCode } from '../account/account-session';
import type { AddressOptions } from '../address';
import { commandLine } from '../command-line';
import { terminalReporter } from '../reporter';
import type { Terminal } from '../terminal';

interface ExportOptions extends AddressOptions {
  email?: string;
  out: string;
}

type Export = Contract['getAccountExport']['answer'];

const POLL_MS = 5_000;

/**
 * Asks for an export of the account, or takes the one that exists, waits until it is ready, and downloads it into a
 * folder. An interrupted run goes on.
 */
export async function exportAccount(options: ExportOptions, terminal: Terminal): Promise<void> {
  const { out } = options;
  // Before the codes of two mails are typed, and the wait for the export.
  await requireExportFolder(out);
  await withAccountSession(['export', '--out', out], options, terminal, async (session, { email }) => {
    const last = await session.get('getAccountExport', { exportId: 'latest' });
    const found = last.status === 'failed' ? null : last.exportId;
    const ask = () =>
      withActCode(session, { purpose: 'export', email }, terminal, (entered) =>
        session.post('exportAccount', entered, { canRepeat: false }),
      );
    const exportId = found ?? (await ask()).exportId;
    terminal.interruptHint = 'Run the same command again. It goes on where it stopped.';
    const { progress } = await ready(session, exportId, terminal);
    const folder = await downloadExport(session, { exportId, folder: out }, terminalReporter(terminal, out));
    const { green, bold } = terminal.colors;
    const what = `${count(progress.decks, 'deck')}, ${count(progress.files, 'file')} (${formatBytes(progress.bytes)})`;
    terminal.say(`${green('✓')} Exported the account to ${bold(folder)}: ${what}`);
    terminal.say('Open its index.html. To make the same decks at another service, run:');
    terminal.say(`  ${commandLine('account', 'import', out, '--base-url', '<address>')}`);
  });
}

/** Waits until all parts are made, and shows how far they are. */
async function ready(session: DeckService, exportId: string, terminal: Terminal): Promise<Export> {
  let shown = '';
  for (;;) {
    const found = await session.get('getAccountExport', { exportId });
    if (found.status === 'ready') return found;
    if (found.status === 'failed')
      throw new Failure('The service could not make the export.', {
        code: 'export-failed',
        nextAction: 'Run the same command again. When it fails again, tell the operator of the service.',
      });
    const { decks, decksInAll, files, bytes } = found.progress;
    const line = `The service has exported ${decks} of ${count(decksInAll, 'deck')}: ${count(files, 'file')} (${formatBytes(bytes)})`;
    if (line !== shown) terminal.say((shown = line));
    await pause(POLL_MS, undefined, { signal: terminal.signal });
  }
}
