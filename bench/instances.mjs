// Instances of one function, each in a process of the pinned functions-framework, as the platform starts them.
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { root } from '../scripts/root.mjs';
import { Program } from './processes.mjs';

const functions = join(root, 'functions');
const framework = join(root, 'node_modules/@google-cloud/functions-framework/build/src/main.js');

/** The environment of functions that use a running local cloud: its ready line, and its data folder. */
export function environmentOf({ project, dataDir, firestoreHost, storageHost, authHost, mailUrl, baseUrl }) {
  return {
    GCLOUD_PROJECT: project,
    FIREBASE_CONFIG: JSON.stringify({ projectId: project, storageBucket: `${project}.firebasestorage.app` }),
    GOOGLE_APPLICATION_CREDENTIALS: join(dataDir, 'service-account.json'),
    SERVICE_SECRET: readFileSync(join(dataDir, 'service-secret'), 'utf8'),
    METADATA_SERVER_DETECTION: 'none',
    RESEND_API_KEY: 're_local',
    RESEND_BASE_URL: mailUrl,
    FIRESTORE_EMULATOR_HOST: firestoreHost,
    STORAGE_EMULATOR_HOST: `http://${storageHost.replace(/^https?:\/\//, '')}`,
    FIREBASE_STORAGE_EMULATOR_HOST: storageHost.replace(/^https?:\/\//, ''),
    FIREBASE_AUTH_EMULATOR_HOST: authHost,
    BASE_URL: baseUrl,
  };
}

/** Starts an instance of the function. Without `environment` it is the bare function. */
export async function startInstance(node, { name, environment, pinned = true }) {
  const port = await freePort();
  const source = environment ? functions : join(root, 'bench/servers/bare-function');
  const env = { ...environment, PORT: String(port), FUNCTION_TARGET: name, FUNCTION_SIGNATURE_TYPE: 'http' };
  const program = new Program(node, [framework, `--source=${source}`], { cwd: source, env, pinned });
  return { port, program, pid: program.pid };
}

async function freePort() {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address();
  probe.close();
  return port;
}

/** Asks until the address answers. Rejects when it does not answer with 200. */
export async function firstAnswer(url) {
  for (let response; ;) {
    response = await fetch(url).catch(() => undefined);
    if (!response) await pause(2);
    else if (response.ok) return response.arrayBuffer();
    else throw new Error(`The first answer has the status ${response.status}.`);
  }
}
