import { startEmulators, type Emulators } from '.';
import { HELP, parseOptions, UsageError, type Options } from './options';

/**
 * The command behind `npm run emulators`. Exit codes: 0 after SIGINT, SIGTERM or SIGHUP, 1 when an emulator cannot
 * start or ends, 2 for a wrong command line.
 */
async function main(): Promise<void> {
  const options = readOptions();
  if (!options) return;
  const output = options.json ? process.stderr : process.stdout;
  const starting = startEmulators({ ...options, onOutput: (text) => output.write(text) });
  closeOnSignals(starting);
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
  await emulators?.close();
  process.exit(1);
}

function closeOnSignals(starting: Promise<Emulators>): void {
  // A closed terminal sends SIGHUP to this process alone.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    // A second Ctrl-C changes nothing: every program gets its time to end.
    process.on(signal, () => {
      if (isStopping) return;
      isStopping = true;
      starting
        .then((emulators) => emulators.close())
        .then(
          () => process.exit(0),
          (error: Error) => {
            process.stderr.write(`${error.message}\n`);
            process.exit(1);
          },
        );
    });
  }
}

function readOptions(): Options | undefined {
  try {
    const options = parseOptions(process.argv.slice(2));
    if (!options.help) return options;
    process.stdout.write(HELP);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    process.stderr.write(`${error.message}\n\n${HELP}`);
    process.exitCode = 2;
  }
  return undefined;
}

function addresses({ project, baseUrl, hostingUrl, firestoreHost, storageHost, authHost, mailUrl }: Emulators) {
  return {
    ready: true,
    ...{ project, baseUrl, hostingUrl, firestoreHost, storageHost, authHost, mailUrl },
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
    ${'Data'.padEnd(10)}${dataDir ?? 'deleted at the end'}

  Publish a first deck from another terminal:

    export DECK_BASE_URL=${emulators.baseUrl}
    npx deck signup
    npx deck push <folder>

  Ctrl-C stops the emulators.

`;
}

process.stdout.on('error', () => {});
void main();
