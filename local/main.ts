import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { DEFAULT_DATA_DIR, startLocalCloud, type LocalCloud } from '.';
import { checkDataFolder } from './check';
import { readOptions } from './command-line';
import { readableConsole } from './readable-log';
import { HELP, parseOptions, type Options } from './options';
import { projectRoot } from './project';
import { onStopSignals } from './stop-signals';
import { welcome } from './welcome';

/**
 * The command behind `npm start`. Exit codes: 0 after SIGINT, SIGTERM or SIGHUP, 1 when it cannot start or a second
 * signal cuts its end off, 2 for a wrong command line. With --check: 0 when the data folder is intact, 1 when it is
 * damaged.
 */
async function main(): Promise<void> {
  const options = readOptions(parseOptions, HELP);
  if (!options) return;
  if (options.check) return check(options);

  // A line that cannot be written would otherwise be an uncaught exception, and its report would be the next such line.
  for (const output of [process.stdout, process.stderr]) output.on('error', () => {});
  // Standard output has the addresses only. The functions log to standard error.
  globalThis.console = options.json ? new console.Console(process.stderr, process.stderr) : readableConsole();
  const starting = startLocalCloud({ ...options, loadFunctions });
  closeOnSignals(starting);
  try {
    const cloud = await starting;
    logUncaughtExceptions();
    process.stdout.write(
      options.json ? `${JSON.stringify(addresses(cloud))}\n` : welcome(cloud, options.ephemeral && !options.dataDir),
    );
  } catch (error) {
    const isExpected = error instanceof Error && !/^(Type|Reference|Syntax|Range)Error$/.test(error.name);
    process.stderr.write(`The local cloud could not start. ${isExpected ? error.message : (error as Error).stack}\n`);
    process.exit(1);
  }
}

/** Checks the data folder without starting the local cloud. Exits with 0 when it is intact, with 1 otherwise. */
async function check({ dataDir, json }: Options): Promise<void> {
  const folder = resolve(dataDir ?? DEFAULT_DATA_DIR);
  try {
    const { summary, damage } = await checkDataFolder(folder);
    const text = [...summary, ...damage, `${folder} is ${damage.length === 0 ? 'intact' : 'damaged'}.`].join('\n');
    process.stdout.write(json ? `${JSON.stringify({ intact: damage.length === 0, damage })}\n` : `${text}\n`);
    process.exitCode = damage.length === 0 ? 0 : 1;
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n`);
    process.exitCode = 1;
  }
}

/** Loads the bundle that is deployed from disk, as the platform does. */
async function loadFunctions(): Promise<Record<string, unknown>> {
  return createRequire(__filename)(join(projectRoot, 'functions', 'lib', 'index.js')) as Record<string, unknown>;
}

function closeOnSignals(starting: Promise<LocalCloud>): void {
  onStopSignals(() => {
    starting
      .then((cloud) => cloud.close())
      .then(
        () => process.exit(0),
        (error: unknown) => {
          console.error(error);
          process.exit(1);
        },
      );
  });
}

/**
 * The platform replaces an instance after an uncaught exception. The local host logs the exception and keeps serving.
 */
function logUncaughtExceptions(): void {
  process.on('uncaughtException', (error) => console.error('A function threw an uncaught exception:', error));
}

function addresses(cloud: LocalCloud) {
  const { project, dataDir, baseUrl, hostingUrl, firestoreHost, storageHost, authHost, mailUrl, deckOrigin } = cloud;
  return {
    ready: true,
    project,
    dataDir,
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

process.stdout.on('error', () => {});
void main();
