import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { firebase } from '../../deploy/command';
import { runProgram } from '../../deploy/surroundings';
import * as functions from '../../functions/src';
import { projectRoot } from '../../local/project';
import { firebaseTools, officialTest } from '../support/official-emulator';
import { close, listen } from '../support/sockets';
import { NUMBER, PROJECT } from './project';

interface CreatedFunction {
  name: string;
  labels?: Record<string, string>;
  serviceConfig: Record<string, unknown>;
}

/**
 * The variables with which firebase-tools 15 calls other addresses than Google's (its src/api.ts). It spells TAKS so.
 */
const ORIGINS = [
  ...['FIREBASE_TOKEN_URL', 'FIREBASE_API_URL', 'FIREBASE_RESOURCEMANAGER_URL', 'FIREBASE_SERVICE_USAGE_URL'],
  ...['FIREBASE_FUNCTIONS_URL', 'FIREBASE_FUNCTIONS_V2_URL', 'FIREBASE_CLOUDBUILD_URL', 'FIREBASE_CLOUDBILLING_URL'],
  ...['FIREBASE_RUNTIMECONFIG_URL', 'FIREBASE_EXT_URL', 'FIREBASE_IAM_URL', 'FIREBASE_CLOUDSCHEDULER_URL'],
  ...['FIREBASE_PUBSUB_URL', 'FIREBASE_STORAGE_URL', 'FIREBASE_AUTHPROXY_URL', 'FIREBASE_CONSOLE_URL'],
  ...['ARTIFACT_REGISTRY_DOMAIN', 'CLOUD_RUN_URL', 'CLOUD_RUN_API_URL', 'CLOUD_SECRET_MANAGER_URL'],
  ...['EVENTARC_URL', 'COMPUTE_URL', 'FIREBASE_CLOUD_TAKS_URL'],
];

const SCOPE = 'https://www.googleapis.com/auth/cloud-platform';

/** Serves the REST APIs that `firebase deploy --only functions` calls for a project without functions. */
async function serveFirebaseApis() {
  const created: CreatedFunction[] = [];
  const server = createServer((request, response) => {
    void text(request).then((sent) => {
      const url = decodeURIComponent(request.url!);
      const body = answer(created, request.method!, url, sent, `http://${request.headers.host}`);
      response.writeHead(body ? 200 : 404, { 'content-type': 'application/json' });
      response.end(JSON.stringify(body ?? { error: { code: 404, message: 'NOT_FOUND', status: 'NOT_FOUND' } }));
    });
  });
  const origin = `http://127.0.0.1:${await listen(server)}`;
  return {
    created,
    /** The environment of firebase-tools. */
    env: { FIREBASE_TOKEN: 'a-token', ...Object.fromEntries(ORIGINS.map((name) => [name, origin])) },
    close: () => close(server),
  };
}

type Route = [pattern: RegExp, answer: (match: RegExpExecArray) => object];

/** The body of an answer; undefined for what does not exist. */
function answer(
  created: CreatedFunction[],
  method: string,
  url: string,
  sent: string,
  origin: string,
): object | undefined {
  const body = () => JSON.parse(sent) as Record<string, unknown>;
  const project = { projectId: PROJECT, projectNumber: NUMBER, name: `projects/${PROJECT}` };
  const routes: Route[] = [
    [/^POST \/oauth2\//, () => ({ access_token: 'a-token', expires_in: 3600, scope: SCOPE })],
    [/:testIamPermissions$/, () => ({ permissions: body()['permissions'] })],
    [/:getIamPolicy/, () => ({ bindings: [], etag: 'x' })],
    [/:setIamPolicy$/, () => body()['policy'] as object],
    [/:generateServiceIdentity$/, () => ({ name: 'operations/identity', done: true, response: {} })],
    [/^GET \/v1\/projects\/\w[^/]*\/services\/[^/:]+$/, () => ({ state: 'ENABLED' })],
    [/^GET \/v1(beta1)?\/projects\/[^/:]+$/, () => project],
    [/\/billingInfo$/, () => ({ billingEnabled: true })],
    [/\/adminSdkConfig$/, () => ({ ...project, storageBucket: `${PROJECT}.firebasestorage.app` })],
    [/\/(projects\/.*\/secrets\/\w+\/versions)\/latest$/, ([, name]) => ({ name: `${name}/1`, state: 'ENABLED' })],
    [/\/(projects\/.*\/secrets\/\w+)$/, ([, name]) => ({ name, replication: { automatic: {} } })],
    [/^GET .*\/functions(\?|$)/, () => ({ functions: [] })],
    [/:generateUploadUrl$/, () => ({ uploadUrl: `${origin}/upload`, storageSource: { bucket: 'b', object: 'o' } })],
    [/^PUT \/upload$/, () => ({})],
    [
      /^POST .*\/functions\?functionId=(\w+)$/,
      ([, id]) => {
        created.push(body() as unknown as CreatedFunction);
        return { name: `operations/${id}` };
      },
    ],
    [
      /^GET .*\/(operations\/(\w+))$/,
      ([, name, id]) => ({ name, done: true, metadata: { sourceToken: 'built' }, response: shown(created, id!) }),
    ],
    [/^POST .*\/(jobs|queues)$/, body],
    [
      /\/(projects\/.*\/gcf-artifacts)$/,
      ([, name]) => ({ name, cleanupPolicies: { x: { id: 'x', action: 'DELETE' } } }),
    ],
  ];
  for (const [pattern, play] of routes) {
    const match = pattern.exec(`${method} ${url}`);
    if (match) return play(match);
  }
  return undefined;
}

function shown(created: readonly CreatedFunction[], id: string): object {
  const found = created.find(({ name }) => name.endsWith(`/${id}`))!;
  const service = `projects/${PROJECT}/locations/us-central1/services/${id.toLowerCase()}`;
  return {
    ...found,
    state: 'ACTIVE',
    url: 'https://x',
    serviceConfig: { ...found.serviceConfig, uri: 'https://x', service },
  };
}

const folder = mkdtempSync(join(tmpdir(), 'decks-clone-'));
afterAll(() => rmSync(folder, { recursive: true }));

officialTest(
  '`firebase deploy` deploys named functions, and all, from a clone in which nothing is installed or built',
  async () => {
    const clone = join(folder, 'clone');
    // Git copies what is committed.
    execFileSync('git', ['clone', '--quiet', projectRoot, clone]);
    const settings = `SERVICE_ACCOUNT=decks-functions@${PROJECT}.iam.gserviceaccount.com\n`;
    writeFileSync(join(clone, 'functions', `.env.${PROJECT}`), settings);
    const apis = await serveFirebaseApis();
    const path = [dirname(firebaseTools!), process.env['PATH']].join(delimiter);
    const env = { PATH: path, HOME: folder, CI: '1', ...apis.env };
    const deploy = async (only: string) => {
      const command = firebase('deploy', `--only=${only}`, `--project=${PROJECT}`, '--non-interactive');
      const { status, stdout, stderr } = await runProgram(command, clone, env);
      const output = `${stderr}\n${stdout}`;
      if (status !== 0) throw new Error(output);
      // firebase-tools ends with process.exit, which can cut the end of its output off.
      expect(output).toContain('Deploying to');
      return apis.created.splice(0).map(({ name }) => name.split('/').at(-1)!);
    };
    const named = await deploy('functions:decks:getServiceInfo,functions:decks:finishDeletions');
    expect(named.toSorted()).toEqual(['finishDeletions', 'getServiceInfo']);
    const all = await deploy('functions');
    expect(all.toSorted()).toEqual(Object.keys(functions).toSorted());
    await apis.close();
  },
  900_000,
);
