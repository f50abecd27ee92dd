import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import type { DeployOptions } from '../../deploy/context';
import { runDeploy } from '../../deploy/run';
import { hasAddress, type Surroundings, type Visited } from '../../deploy/surroundings';
import { projectRoot } from '../../local/project';
import { requestLocally } from '../support/deck-origin';
import { World } from '../support/world';
import { NameServer } from './name-server';
import { PROJECT } from './project';
import { StandIn } from './stand-in';

export const ACCOUNT = `serviceAccount:decks-functions@${PROJECT}.iam.gserviceaccount.com`;
export const RESEND_KEY = 're_a_secret_of_the_operator';

/** Proxies in front of the functions: each appends the address of its client to X-Forwarded-For. */
export class Proxy {
  hops: string[] = [];
  /** How many requests are refused, as the platform refuses them while it learns of new functions. */
  refusals = 0;

  private constructor(
    private readonly server: Server,
    readonly url: string,
  ) {}

  static async start(target: string): Promise<Proxy> {
    const server = createServer((incoming, outgoing) => {
      if (started.refusals-- > 0) return outgoing.writeHead(403).end('<html>Forbidden');
      const written = [incoming.headers['x-forwarded-for'] ?? []].flat();
      const headers = { ...incoming.headers, 'x-forwarded-for': [...written, ...started.hops].join(', ') };
      const url = `${target}${incoming.url}`;
      const call = request(url, { method: incoming.method!, headers }, (answer) => {
        outgoing.writeHead(answer.statusCode!, answer.headers);
        answer.pipe(outgoing);
      });
      incoming.pipe(call);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const started = new Proxy(server, `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    return started;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}

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
}

/** Empty projects and folders from which the service is deployed. The functions are those of the world. */
export class Places {
  #folders: string[] = [];
  #standIns: StandIn[] = [];
  #nameServers: NameServer[] = [];
  readonly #before = { ...process.env };

  constructor(
    private readonly world: World,
    private readonly proxy: Proxy,
  ) {}

  async empty(changes: Partial<Surroundings> = {}): Promise<Place> {
    const root = mkdtempSync(join(tmpdir(), 'decks-deploy-'));
    this.#folders.push(root);
    mkdirSync(join(root, 'functions'));
    for (const file of ['package.json', 'firebase.json', 'storage.cors.json', 'storage.lifecycle.json']) {
      copyFileSync(join(projectRoot, file), join(root, file));
    }
    writeFileSync(join(root, 'functions', '.env'), `# Settings of all projects\nBASE_URL=${this.proxy.url}\n`);
    const standIn = new StandIn(root, (settings) => {
      process.env['BASE_URL'] = settings.get('BASE_URL')!;
      process.env['TRUSTED_PROXY_HOPS'] = settings.get('TRUSTED_PROXY_HOPS') ?? '1';
      process.env['DECK_ORIGIN'] = settings.get('DECK_ORIGIN') ?? '';
    });
    this.#standIns.push(standIn);
    const restUrl = await standIn.listen();
    const names = await NameServer.start(standIn.network);
    this.#nameServers.push(names);
    const printed: string[] = [];
    const around: Surroundings = {
      root,
      env: { RESEND_API_KEY: RESEND_KEY, MAIL_FROM: 'Decks <decks@example.org>', STAND_IN: restUrl },
      run: (command) => Promise.resolve(standIn.run(command)),
      locate: (url) => url.replace('https:/', restUrl),
      visit: (url) => this.#visit(standIn, new URL(url)),
      hasAddress: (host) => hasAddress(host, [names.address]),
      compareClients: () => Promise.resolve(undefined),
      ask: undefined,
      print: (line) => printed.push(line),
      lookUpAddress: () => Promise.resolve('198.51.100.9'),
      pauseMs: 0,
      ...changes,
    };
    const settingsFile = join(root, 'functions', `.env.${PROJECT}`);
    const ends = async (code: number, options: Partial<DeployOptions> = {}) => {
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
    };
  }

  /** Passes a request for the host to the real `deckSite`, as the load balancer does where it is complete. */
  async #visit(standIn: StandIn, { host, pathname }: URL): Promise<Visited> {
    const { network } = standIn;
    const isOwnAddress = host.endsWith('.a.run.app');
    if (!isOwnAddress && !network.hasRecords) throw unreachable(`getaddrinfo ENOTFOUND ${host}`);
    if (!isOwnAddress && !network.serves(host)) throw unreachable('SSL alert number 40');
    const origin = this.world.cloud.deckOrigin!.replace('*', 'x');
    const answer = await requestLocally(`${origin}${pathname}`, { headers: { host, accept: 'text/html' } });
    return { status: answer.status, contentType: answer.headers['content-type'] ?? '' };
  }

  /** Ends the stand-ins, and gives the functions their settings back. */
  async close(): Promise<void> {
    for (const names of this.#nameServers.splice(0)) names.close();
    await Promise.all(this.#standIns.splice(0).map((each) => each.close()));
    for (const name of ['BASE_URL', 'TRUSTED_PROXY_HOPS', 'DECK_ORIGIN']) process.env[name] = this.#before[name] ?? '';
  }

  remove(): void {
    for (const folder of this.#folders) rmSync(folder, { recursive: true });
  }
}

/** Starts the world, the proxy and the projects of one test file. */
export function deploying() {
  let places: Places;
  const made = {} as { world: World; proxy: Proxy };
  beforeAll(async () => {
    made.world = await World.start();
    // The check opens the marketplace. Only browsers resolve its host name.
    process.env['MARKETPLACE_URL'] = made.world.cloud.hostingUrl;
    made.proxy = await Proxy.start(made.world.cloud.baseUrl);
    places = new Places(made.world, made.proxy);
  });
  beforeEach(() => {
    made.proxy.hops = ['198.51.100.9'];
  });
  afterEach(() => places.close());
  afterAll(async () => {
    places.remove();
    await made.proxy.close();
    await made.world.stop();
  });
  const anEmptyProject = (changes?: Partial<Surroundings>) => places.empty(changes);
  /** A project after a deploy with those options. */
  const aDeployedProject = async (options: Partial<DeployOptions> = {}, prepare: (place: Place) => void = () => {}) => {
    const place = await anEmptyProject();
    prepare(place);
    await place.succeeds(options);
    place.standIn.changes.length = 0;
    return place;
  };
  return Object.assign(made, { anEmptyProject, aDeployedProject });
}

/** What fetch throws. */
const unreachable = (message: string) => new TypeError('fetch failed', { cause: new Error(message) });

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
