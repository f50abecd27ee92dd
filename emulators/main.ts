import { startEmulators, type Emulators } from '.';
import { readOptions } from '../local/command-line';
import { onStopSignals } from '../local/stop-signals';
import { HELP, parseOptions } from './options';
import { killPrograms } from './program';

/**
 * The command behind `npm run emulators`. Exit codes: 0 after SIGINT, SIGTERM or SIGHUP, 1 when an emulator cannot
 * start or ends, 2 for a wrong command line.
 */
async function main(): Promise<void> {
  const options = readOptions(parseOptions, HELP);
  if (!options) return;
  const output = options.json ? process.stderr : process.stdout;
  const stopping = new AbortController();
  const { signal } = stopping;
  const starting = startEmulators({ ...options, onOutput: (text) => output.write(text), signal });
  closeOnSignals(starting, stopping);
  try {
    const emulators = await starting;
    process.stdout.write(options.json ? `${JSON.stringify(addresses(emulators))}\n` : welcome(emulators));
    const failure = await emulators.failed;
    // After a signal the emulators end too.
    if (!isStopping) await fail(failure, emulators);
  } catch (error) {
    if (!isStopping) await fail(error as Error);
  }
}

let isStopping = false;

async function fail(error: Error, emulators?: Emulators): Promise<void> {
  isStopping = true;
  process.stderr.write(`The emulators ${emulators ? 'have stopped' : 'could not start'}. ${error.message}\n`);
  await emulators?.close().catch((problem: Error) => process.stderr.write(`${problem.message}\n`));
  process.exit(1);
}

/** The first signal stops the emulators, also during their start. A second one kills what has not stopped by then. */
function closeOnSignals(starting: Promise<Emulators>, stopping: AbortController): void {
  const close = async () => {
    try {
      const emulators = await starting;
      await emulators.close();
    } catch (error) {
      if (error === stopping.signal.reason) return;
      process.stderr.write(`${(error as Error).message}\n`);
      process.exit(1);
    }
  };
  onStopSignals(() => {
    // An emulator has failed, and the others are stopping.
    if (isStopping) return killPrograms();
    isStopping = true;
    stopping.abort();
    void close().then(() => process.exit(0));
  }, killPrograms);
}

function addresses(emulators: Emulators) {
  const { project, baseUrl, hostingUrl, firestoreHost, storageHost, authHost, mailUrl, deckOrigin } = emulators;
  return {
    ready: true,
    project,
    baseUrl,
    hostingUrl,
    firestoreHost,
    storageHost,
    authHost,
    mailUrl,
    deckOrigin,
    pid: process.pid,
  };
}

function welcome(emulators: Emulators): string {
  const { providers, dataDir } = emulators;
  const rows = [
    ['Functions', emulators.baseUrl],
    ['Hosting', emulators.hostingUrl],
    ['Mail', emulators.mailUrl],
    ['Firestore', emulators.firestoreHost],
    ['Storage', emulators.storageHost],
    ['Auth', emulators.authHost],
  ] as const;
  return `
  The emulators are running. They answer on 127.0.0.1 only.

${rows.map(([part, address]) => `    ${part.padEnd(10)}${address.padEnd(48)}${providers[part]}`).join('\n')}
    ${'Decks'.padEnd(10)}in the frame of the share page: the emulators have no deck origins
    ${'Data'.padEnd(10)}${dataDir ?? 'deleted at the end'}

  Publish a first deck from another terminal:

    export DECK_BASE_URL=${emulators.baseUrl}
    npx deckhost signup
    npx deckhost push <folder>

  Ctrl-C stops the emulators.

`;
}

process.stdout.on('error', () => {});
void main();
