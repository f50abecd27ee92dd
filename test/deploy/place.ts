import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import type { DeployOptions } from '../../deploy/context';
import { runDeploy } from '../../deploy/run';
import { hasAddress, type Surroundings, type Visited } from '../../deploy/surroundings';
import { closeDatabase } from '../../functions/src/records/sdk';
import { projectRoot } from '../../local/project';
import { requestLocally } from '../support/deck-origin';
import { close, listen, passOn } from '../support/sockets';
import { World } from '../support/world';
import { startNameServer } from './name-server';
import { PROJECT } from './project';
import { StandIn } from './stand-in';

export const ACCOUNT = `serviceAccount:decks-functions@${PROJECT}.iam.gserviceaccount.com`;
export const RESEND_KEY = 're_a_secret_of_the_operator';
export const WEBHOOK_SECRET = 'whsec_c2VjcmV0IG9mIHRoZSBvcGVyYXRvcg==';

export interface Place {
  standIn: StandIn;
  around: Surroundings;
  /** The file with the settings of the project. */
  settingsFile: string;
  /** Its text, as the deploy wrote it. */
  settings: () => string;
  /** Deploys. The deploy must succeed. Returns what it printed. */
  succeeds: (options?: Partial<DeployOptions>) => Promise<string>;
  /** Deploys. A step must fail. Returns what the deploy printed. */
  fails: (options?: Partial<DeployOptions>) => Promise<string>;
  /** The same, with a cloud that refuses calls until the deploy ends: before or after they take effect. */
  failsAt: (
    isRefused: (line: string) => boolean,
    options?: Partial<DeployOptions>,
    side?: 'before' | 'after',
  ) => Promise<string>;
}

/**
 * Starts the world of one test file, and makes projects to which its service is deployed. `hops` are the proxies in
 * front of the functions: each appends the address of its client to X-Forwarded-For.
 */
export function deploying() {
  const made = {
    world: undefined as unknown as World,
    hops: [] as string[],
    /** How many requests are refused, as the platform refuses them while it learns of new functions. */
    refusals: 0,
    anEmptyProject,
    aDeployedProject,
  };
  const before = { ...process.env };
  const folders: string[] = [];
  let port = 0;
  let newest: StandIn | undefined;
  const closers: (() => void | Promise<void>)[] = [];
  const proxy = createServer((incoming, outgoing) => {
    const [, name = ''] = /^\/(\w+)/.exec(incoming.url!) ?? [];
    if (made.refusals-- > 0 || newest?.isClosed(name)) return outgoing.writeHead(403).end('<html>Forbidden');
    const written = [incoming.headers['x-forwarded-for'] ?? []].flat();
    incoming.headers['x-forwarded-for'] = [...written, ...made.hops].join(', ');
    const { baseUrl } = made.world.cloud;
    incoming.url = `${new URL(baseUrl).pathname}${incoming.url}`;
    passOn(baseUrl, incoming, outgoing, (answer) => {
      outgoing.writeHead(answer.statusCode!, answer.headers);
      answer.pipe(outgoing);
    });
  });

  beforeAll(async () => {
    made.world = await World.start();
    // The check opens the marketplace. Only browsers resolve its host name.
    process.env['MARKETPLACE_URL'] = made.world.cloud.hostingUrl;
    port = await listen(proxy);
  });
  beforeEach(() => void (made.hops = ['198.51.100.9']));
  afterEach(async () => {
    for (const close of closers.splice(0)) await close();
    // The functions get their settings back.
    moveTo(before['DATABASE_ID']);
    for (const name of ['BASE_URL', 'TRUSTED_PROXY_HOPS', 'DECK_ORIGIN']) process.env[name] = before[name] ?? '';
  });
  afterAll(async () => {
    for (const folder of folders) rmSync(folder, { recursive: true });
    await close(proxy);
    await made.world.stop();
  });

  /** An empty project, and a folder from which the service is deployed. */
  async function anEmptyProject(changes: Partial<Surroundings> = {}): Promise<Place> {
    const root = mkdtempSync(join(tmpdir(), 'decks-deploy-'));
    folders.push(root);
    mkdirSync(join(root, 'functions'));
    for (const file of ['package.json', 'firebase.json', 'storage.cors.json', 'storage.lifecycle.json']) {
      copyFileSync(join(projectRoot, file), join(root, file));
    }
    writeFileSync(join(root, 'functions', '.env'), `# Settings\nBASE_URL=http://127.0.0.1:${port}\n`);
    const standIn = new StandIn(root, (settings) => {
      moveTo(settings.get('DATABASE_ID'));
      process.env['BASE_URL'] = settings.get('BASE_URL')!;
      process.env['TRUSTED_PROXY_HOPS'] = settings.get('TRUSTED_PROXY_HOPS') ?? '1';
      process.env['DECK_ORIGIN'] = settings.get('DECK_ORIGIN') ?? '';
    });
    newest = standIn;
    const restUrl = await standIn.listen();
    const names = await startNameServer(standIn.network);
    closers.push(
      () => names.close(),
      () => standIn.close(),
    );
    const printed: string[] = [];
    const around: Surroundings = {
      root,
      env: {
        RESEND_API_KEY: RESEND_KEY,
        RESEND_WEBHOOK_SECRET: WEBHOOK_SECRET,
        MAIL_FROM: 'Decks <decks@example.org>',
        STAND_IN: restUrl,
      },
      run: (command) => Promise.resolve(standIn.run(command)),
      locate: (url) => url.replace('https:/', restUrl),
      visit: (url) => visit(standIn, new URL(url)),
      hasAddress: (host) => hasAddress(host, [names.address]),
      readBuilt: ({ REGION: region }) =>
        Promise.resolve({
          endpoints: standIn.source.map((each) => ({ ...each, region: region! })),
          hash: standIn.code,
        }),
      compareClients: () => Promise.resolve(undefined),
      ask: undefined,
      print: (line) => printed.push(line),
      lookUpAddress: () => Promise.resolve('198.51.100.9'),
      pauseMs: 0,
      ...changes,
    };
    const settingsFile = join(root, 'functions', `.env.${PROJECT}`);
    const ends = async (code: number, options: Partial<DeployOptions> = {}) => {
      standIn.changes.length = 0;
      const status = await runDeploy({ project: PROJECT, ...options }, around);
      const told = printed.splice(0).join('\n');
      expect({ status, told }).toEqual({ status: code, told });
      return told;
    };
    return {
      standIn,
      around,
      settingsFile,
      settings: () => readFileSync(settingsFile, 'utf8'),
      succeeds: (options) => ends(0, options),
      fails: (options) => ends(1, options),
      failsAt: async (isRefused, options, side = 'before') => {
        standIn.refuses = (line) => (isRefused(line) ? side : undefined);
        const told = await ends(1, options);
        standIn.refuses = () => undefined;
        return told;
      },
    };
  }

  /** A project after a deploy with those options. */
  async function aDeployedProject(options: Partial<DeployOptions> = {}, prepare: (place: Place) => void = () => {}) {
    const place = await anEmptyProject();
    prepare(place);
    await place.succeeds(options);
    return place;
  }

  /** Passes a request for the host to the real `deckSite`, as the load balancer does where it is complete. */
  async function visit({ network }: StandIn, { host, pathname }: URL): Promise<Visited> {
    const isOwnAddress = host.endsWith('.a.run.app');
    if (!isOwnAddress && !network.hasRecords) throw unreachable(`getaddrinfo ENOTFOUND ${host}`);
    if (!isOwnAddress && !network.serves(host)) throw unreachable('SSL alert number 40');
    const origin = made.world.cloud.deckOrigin!.replace('*', 'x');
    const answer = await requestLocally(`${origin}${pathname}`, { headers: { host, accept: 'text/html' } });
    return { status: answer.status, contentType: answer.headers['content-type'] ?? '' };
  }

  return made;
}

/** Lets the functions use another database. Deployed functions start anew; here they open their client again. */
function moveTo(database = ''): void {
  if (database === (process.env['DATABASE_ID'] ?? '')) return;
  process.env['DATABASE_ID'] = database;
  void closeDatabase();
}

/** What fetch throws. */
const unreachable = (message: string) => new TypeError('fetch failed', { cause: new Error(message) });

/** The lines without the ids of releases, which are hashes, and of versions of the site. */
export const withoutIds = (lines: readonly string[]) =>
  lines.map((line) => line.replace(/release [0-9a-f]{12}/, 'release ID').replace(/(?<=\/versions\/)\w+/, 'VERSION'));

/** The environment of a shell in which gcloud and firebase are the stand-in. */
export function withPrograms({ root, env }: Surroundings): NodeJS.ProcessEnv {
  const bin = join(root, 'bin');
  mkdirSync(bin);
  for (const name of ['gcloud', 'firebase']) {
    const program = readFileSync(join(__dirname, 'programs', 'program.cjs'), 'utf8');
    writeFileSync(join(bin, name), `#!${process.execPath}\n${program}`);
    chmodSync(join(bin, name), 0o755);
  }
  return { ...process.env, ...env, PATH: `${bin}${delimiter}${process.env['PATH']}` };
}
