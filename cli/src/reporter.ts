import { basename } from 'node:path';
import { count, formatBytes } from '../../client/src/format';
import type { Reporter, Stage } from '../../client/src/reporter';
import { misfit } from './compatibility';
import { calledAddress } from './connect';
import { showWarnings } from './show-warnings';
import type { Terminal } from './terminal';

const labels: Record<Stage, { doing: string; done: string }> = {
  hash: { doing: 'Hashing  ', done: 'Read' },
  upload: { doing: 'Uploading', done: 'Uploaded' },
  download: { doing: 'Downloading', done: 'Downloaded' },
};

/** Shows the progress of a push or a download of `folder` in the terminal. */
export function terminalReporter(terminal: Terminal, folder: string): Reporter {
  let bar: { advance: (bytes: number) => void } | undefined;
  let entry = '';
  let isMisfitTold = false;
  return {
    onStart(stage, { bytes }) {
      if (stage === 'upload')
        terminal.interruptHint = 'Run the same command again. It does not send uploaded files a second time.';
      bar = terminal.progress(labels[stage].doing, bytes);
    },
    onBytes: (bytes) => bar?.advance(bytes),
    onEnd(stage, { files, bytes }) {
      terminal.clear();
      const what = `${labels[stage].done} ${count(files, 'file')} (${formatBytes(bytes)})`;
      terminal.say(stage === 'hash' ? `${what} of ${basename(folder)}, opening with ${entry}` : what);
    },
    onService(info) {
      const baseUrl = calledAddress();
      const problem = baseUrl === undefined ? undefined : misfit(info, baseUrl);
      // A push that is tried again asks again.
      if (!problem || isMisfitTold) return;
      isMisfitTold = true;
      terminal.warn([problem.message, problem.nextAction].filter(Boolean).join(' '), problem.code);
    },
    onEntry: (entryPath) => (entry = entryPath),
    onWarnings(warnings) {
      if (!terminal.json) showWarnings(warnings, terminal);
    },
  };
}
