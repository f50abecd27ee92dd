import { createRequire } from 'node:module';
import { join, relative, resolve } from 'node:path';
import { DEFAULT_DATA_DIR, DEFAULT_PROJECT, startLocalCloud, type LocalCloud } from '.';
import { checkDataFolder } from './check';
import { defaultPorts } from './ports';
import { readableConsole } from './readable-log';
import { HELP, parseOptions, UsageError, type Options } from './options';
import { projectRoot } from './project';

/**
 * The command behind `npm start`. Exit codes: 0 after SIGINT or SIGTERM, 1 when it cannot start, 2 for a wrong command
 * line. With --check: 0 when the data folder is intact, 1 when it is damaged.
 */
async function main(): Promise<void> {
  const options = readOptions();
  if (!options) return;
  if (options.check) return check(options);

  // Standard output has the addresses only. The functions log to standard error.
  globalThis.console = options.json ? new console.Console(process.stderr, process.stderr) : readableConsole();
  if (options.hasDeckPort) console.error('This version has no deck origins: nothing listens on the port of decks.');
  const starting = startLocalCloud({ ...options, loadFunctions });
  closeOnSignals(starting);
  try {
    const cloud = await starting;
    logUncaughtExceptions();
    process.stdout.write(options.json ? `${JSON.stringify(addresses(cloud))}\n` : welcome(cloud, options));
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

/** Loads the bundle that is deployed from disk, as the platform does. */
async function loadFunctions(): Promise<Record<string, unknown>> {
  return createRequire(__filename)(join(projectRoot, 'functions', 'lib', 'index.js')) as Record<string, unknown>;
}

function closeOnSignals(starting: Promise<LocalCloud>): void {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
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
}

/**
 * The platform replaces an instance after an uncaught exception. The local host logs the exception and keeps serving.
 */
function logUncaughtExceptions(): void {
  process.on('uncaughtException', (error) => console.error('A function threw an uncaught exception:', error));
}

function addresses(cloud: LocalCloud) {
  const { project, dataDir, baseUrl, hostingUrl, firestoreHost, storageHost, authHost, mailUrl } = cloud;
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
    pid: process.pid,
  };
}

function welcome(cloud: LocalCloud, { ephemeral, dataDir: named }: Options): string {
  const relativeDataDir = relative(process.cwd(), cloud.dataDir);
  const dataDir = relativeDataDir.startsWith('..') ? cloud.dataDir : relativeDataDir;
  // The client uses this address by default.
  const isDefault = cloud.project === DEFAULT_PROJECT && cloud.baseUrl.includes(`:${defaultPorts.functions}/`);
  return `
  The local cloud is running. It is for development only and answers on 127.0.0.1 only.

    Functions   ${cloud.baseUrl}
    Hosting     ${cloud.hostingUrl}
    Mail        ${cloud.mailUrl}  (receives every mail, sign-up codes included)
    Firestore   ${cloud.firestoreHost}
    Storage     ${cloud.storageHost}
    Auth        ${cloud.authHost}
    Schedules   ${schedulesOf(cloud)}
    Data        ${dataDir}${ephemeral && !named ? '  (deleted at the end)' : ''}

  Publish a first deck from another terminal:
${isDefault ? '' : `\n    export DECK_BASE_URL=${cloud.baseUrl}`}
    npx deck signup
    npx deck push <folder>

  Ctrl-C stops it.

`;
}

function schedulesOf({ schedules }: LocalCloud): string {
  if (!schedules) return 'off  (a POST runs a scheduled function)';
  return `${schedules.jobs.length} functions run by their schedules  (the log shows the runs that do something)`;
}

process.stdout.on('error', () => {});
void main();
