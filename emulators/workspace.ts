import { chmod, mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { projectRoot } from '../local/project';
import type { Ports } from './ports';

/** The emulators that firebase-tools starts. */
export type OfficialEmulator = 'functions' | 'tasks' | 'hosting' | 'storage' | 'auth';

export interface WorkspaceOptions {
  folder: string;
  ports: Ports;
  emulators: readonly OfficialEmulator[];
  /** The environment of the functions. */
  environment: Record<string, string>;
  secrets: Record<string, string>;
  /** Whether the program `deny-all.mjs` stands for Google's runtime of security rules. */
  standsInForRules: boolean;
}

/**
 * Writes the folder in which firebase-tools runs: firebase.json with the ports, the functions with their environment
 * and secrets, and links to the bundle, its packages and the site. The files of the project do not change.
 * functions/.env, which configures a deployment, is not read. Only the owner of the files can read the secrets.
 */
export async function writeWorkspace(options: WorkspaceOptions): Promise<void> {
  const { folder, ports, emulators, environment, secrets, standsInForRules } = options;
  await rm(folder, { recursive: true, force: true });
  await mkdir(join(folder, 'functions'), { recursive: true, mode: 0o700 });

  const config = JSON.parse(await readFile(join(projectRoot, 'firebase.json'), 'utf8')) as {
    functions: { runtime: string }[];
    hosting: { public: string };
  };
  const site = config.hosting.public;
  const address = (part: OfficialEmulator | 'hub' | 'logging') =>
    [part, { host: '127.0.0.1', port: ports[part] }] as const;
  await writeFile(
    join(folder, 'firebase.json'),
    `${JSON.stringify(
      {
        functions: [{ source: 'functions', codebase: 'default', runtime: config.functions[0]?.runtime }],
        hosting: config.hosting,
        storage: { rules: 'storage.rules' },
        emulators: {
          ...Object.fromEntries([...emulators, 'hub' as const, 'logging' as const].map(address)),
          ui: { enabled: false },
          singleProjectMode: true,
        },
      },
      null,
      2,
    )}\n`,
  );
  await writeFile(join(folder, 'storage.rules'), await readFile(join(projectRoot, 'storage.rules')));
  await mkdir(dirname(join(folder, site)), { recursive: true });
  await link(join(projectRoot, site), join(folder, site));

  const functions = join(projectRoot, 'functions');
  // firebase-tools runs only functions whose package.json names these two packages.
  const versions = { 'firebase-admin': '*', 'firebase-functions': '*' };
  await writeFile(
    join(folder, 'functions', 'package.json'),
    `${JSON.stringify({ private: true, main: 'lib/index.js', dependencies: versions }, null, 2)}\n`,
  );
  await link(join(functions, 'lib'), join(folder, 'functions', 'lib'));
  await link(join(projectRoot, 'node_modules'), join(folder, 'functions', 'node_modules'));
  await writeFile(join(folder, 'functions', '.env.local'), dotenv(environment), { mode: 0o600 });
  await writeFile(join(folder, 'functions', '.secret.local'), dotenv(secrets), { mode: 0o600 });

  if (standsInForRules) {
    await mkdir(join(folder, 'bin'));
    const program = join(projectRoot, 'emulators', 'deny-all.mjs');
    await writeFile(join(folder, 'bin', 'java'), `#!/bin/sh\nexec "${process.execPath}" "${program}" "$@"\n`);
    await chmod(join(folder, 'bin', 'java'), 0o755);
  }
}

/** A junction on Windows needs no special right. */
const link = (target: string, path: string) => symlink(target, path, 'junction');

const dotenv = (values: Record<string, string>) =>
  Object.entries(values)
    .map(([name, value]) => `${name}="${value.replace(/[\\"]/g, '\\$&')}"\n`)
    .join('');
