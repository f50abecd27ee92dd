import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join, resolve } from 'node:path';
import { shellLine, type Command, type Outcome } from '../../deploy/command';
import { Network, networkCommands } from './network';

interface Policy {
  bindings: { role: string; members: string[]; condition?: object }[];
}

/** What the stand-in refuses, before or after the call took effect, by the call as a shell or curl line. */
export type Refusal = (line: string) => 'before' | 'after' | undefined;

export const PROJECT = 'decks-test-1';
const NUMBER = '4711';
const BUILDER = `serviceAccount:${NUMBER}-compute@developer.gserviceaccount.com`;

/** The options of each command that the real programs have (checked against gcloud 528 and firebase-tools 15.34). */
const gcloudCommands: Record<string, string> = {
  version: 'format',
  'auth list': 'filter format',
  'auth print-access-token': '',
  'projects describe': 'format',
  'billing projects describe': 'format',
  'services list': 'enabled project format',
  'services enable': 'project',
  'firestore databases list': 'project format',
  'firestore databases create': 'database location type project',
  'firestore indexes composite list': 'database project format',
  'iam service-accounts list': 'project format',
  'iam service-accounts create': 'display-name project',
  'iam service-accounts get-iam-policy': 'project format',
  'iam service-accounts add-iam-policy-binding': 'member role condition project format',
  'projects get-iam-policy': 'format',
  'projects add-iam-policy-binding': 'member role condition format',
  'storage buckets describe': 'raw project format',
  'storage buckets update': 'cors-file lifecycle-file project',
  'storage buckets get-iam-policy': 'project format',
  'storage buckets add-iam-policy-binding': 'member role condition project format',
  'secrets list': 'project format',
  'secrets versions list': 'project format',
  'secrets get-iam-policy': 'project format',
  'secrets add-iam-policy-binding': 'member role condition project format',
  'logging sinks describe': 'project format',
  'logging sinks update': 'add-exclusion update-exclusion project',
  'artifacts repositories list': 'location project format',
  'scheduler jobs list': 'location project format',
  'run services get-iam-policy': 'region project format',
  'run services add-iam-policy-binding': 'member role region project format',
  'functions describe': 'region project format',
  ...networkCommands,
};
const firebaseCommands: Record<string, string> = {
  '--version': '',
  'projects:list': 'json',
  'projects:addfirebase': 'non-interactive',
  'hosting:sites:list': 'project json',
  'hosting:sites:create': 'project non-interactive',
  'functions:secrets:set': 'data-file project non-interactive',
  'functions:artifacts:setpolicy': 'location days project force non-interactive',
  'functions:list': 'project json',
  deploy: 'only force project non-interactive',
};
const MUTATION =
  /\b(enable|create|update|add-iam-policy-binding|addfirebase|set|setpolicy|deploy|delete|(add|remove)-backend)$/;

/** The API that must be enabled before a command works. */
const apiOf: Record<string, string> = {
  firestore: 'firestore.googleapis.com',
  iam: 'iam.googleapis.com',
  secrets: 'secretmanager.googleapis.com',
  'functions:secrets:set': 'secretmanager.googleapis.com',
  logging: 'logging.googleapis.com',
  artifacts: 'artifactregistry.googleapis.com',
  scheduler: 'cloudscheduler.googleapis.com',
  functions: 'cloudfunctions.googleapis.com',
  compute: 'compute.googleapis.com',
  'certificate-manager': 'certificatemanager.googleapis.com',
  'functions:list': 'cloudfunctions.googleapis.com',
  'hosting:sites:list': 'firebasehosting.googleapis.com',
};

class Refused extends Error {
  constructor(
    message: string,
    /** Whether the call changed something before it failed. */
    readonly tookEffect = false,
  ) {
    super(message);
  }
}

/** A function of another app, or one that the code of the service does not have. */
interface OtherFunction {
  id: string;
  region: string;
  codebase: string;
}

/**
 * Programs named gcloud and firebase, and the REST APIs, over the state of one project in memory. It refuses commands
 * and options that the real programs do not have, and what the cloud refuses: APIs that are not enabled, resources that
 * do not exist, functions whose account may not read their secrets.
 */
export class StandIn {
  /** Every call, as a line for the shell. */
  readonly lines: string[] = [];
  readonly changes: string[] = [];
  /** Everything that the calls carried as arguments. */
  readonly argumentsSeen: string[] = [];
  readonly secretVersions = new Map<string, string[]>();
  refuses: Refusal = () => undefined;

  apis = new Set<string>(['serviceusage.googleapis.com', 'cloudresourcemanager.googleapis.com']);
  hasBilling = true;
  firebaseVersion = '15.34.0';
  isLoggedIn = true;
  isFirebase = false;
  sites: { name: string; type: string }[] = [];
  databases: { name: string; type: string; locationId: string }[] = [];
  bucket: { cors?: unknown; lifecycle?: unknown; location: string } | undefined;
  authentication: object | undefined;
  /** Whether somebody signed up, in a project with another app. */
  hasUsers = false;
  identityProviders: object[] = [];
  /** The rules of each release, as the REST API shows them. */
  rules: Record<string, string> = {};
  /** How many looks find an index that is being built. */
  buildingIndexes = 0;
  disabledSecrets = new Set<string>();
  accounts = new Set<string>();
  policies = new Map<string, Policy>([
    [PROJECT, { bindings: [{ role: 'roles/owner', members: ['user:me@example.org'] }] }],
  ]);
  exclusions: { name: string; filter: string; disabled?: boolean }[] = [];
  hasCleanupPolicy = false;
  functionsIn: string | undefined;
  functions: string[] = [];
  otherFunctions: OtherFunction[] = [];
  /** What fails when functions are created, beside what was deployed. */
  failsToCreate: string | undefined;
  isSiteReleased = false;
  /** How many role bindings fail because a new account is not known everywhere yet. */
  propagating = 0;
  /** How many calls of the REST APIs fail because a new API is not known everywhere yet. */
  unknownApis = 0;
  repositoryLabels: Record<string, string> = {};
  readonly network = new Network((isTrue, otherwise) => this.#need(isTrue, otherwise));

  #server: Server | undefined;

  constructor(
    private readonly root: string,
    /** Called when the functions are deployed, with their settings. */
    private readonly onDeploy: (settings: ReadonlyMap<string, string>) => void,
  ) {}

  /** Serves the REST APIs, and the programs of test/deploy/programs. */
  async listen(): Promise<string> {
    const server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const text = Buffer.concat(chunks).toString();
        if (request.url === '/run') return response.end(JSON.stringify(this.run(JSON.parse(text) as Command)));
        const { status, body } = this.#rest(request.method!, request.url!, text);
        response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    this.#server = server;
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.#server?.closeAllConnections();
    await new Promise((resolve) => this.#server?.close(resolve));
  }

  /** What a complete deploy leaves, without the values of secrets. */
  snapshot(): object {
    return {
      apis: [...this.apis].sort(),
      sites: this.sites,
      databases: this.databases,
      bucket: this.bucket,
      authentication: this.authentication,
      accounts: [...this.accounts],
      policies: Object.fromEntries([...this.policies].sort(([a], [b]) => (a < b ? -1 : 1))),
      exclusions: this.exclusions,
      hasCleanupPolicy: this.hasCleanupPolicy,
      functions: this.functions,
      otherFunctions: this.otherFunctions,
      isSiteReleased: this.isSiteReleased,
      network: Object.fromEntries([...this.network.resources].filter(([, all]) => all.length > 0)),
      secrets: [...this.secretVersions].map(([name, versions]) => [name, versions.length]).sort(),
    };
  }

  run(command: Command): Outcome {
    const { program, args, input } = command;
    const line = shellLine({ program, args });
    this.argumentsSeen.push(...args);
    return this.#play(line, MUTATION.test(nameOf(command)), () => {
      const stdout = program === 'gcloud' ? this.#gcloud(command) : this.#firebase(command, input?.value ?? '');
      return { status: 0, stdout, stderr: '' };
    });
  }

  #play(line: string, changes: boolean, work: () => Outcome): Outcome {
    this.lines.push(line);
    const refusal = this.refuses(line);
    if (refusal === 'before') return { status: 1, stdout: '', stderr: 'ERROR: the stand-in refuses this call' };
    try {
      const outcome = work();
      if (changes) this.changes.push(line);
      return refusal ? { status: 1, stdout: '', stderr: 'ERROR: the connection broke' } : outcome;
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      if (error.tookEffect) this.changes.push(line);
      const told = refusal === 'after' && error.tookEffect ? 'the connection broke' : error.message;
      return { status: 1, stdout: '', stderr: `ERROR: ${told}` };
    }
  }

  #rest(method: string, url: string, text: string): { status: number; body: unknown } {
    const line = `${method} ${url}`;
    if (this.unknownApis-- > 0) {
      const details = [{ reason: 'SERVICE_DISABLED', metadata: { service: url.split('/')[1] } }];
      return { status: 403, body: { error: { details } } };
    }
    let status = 200;
    let body: unknown = {};
    const outcome = this.#play(line, method !== 'GET', () => {
      if (url.includes('firebasestorage')) {
        this.#need(this.apis.has('firebasestorage.googleapis.com'), 'SERVICE_DISABLED');
        if (method === 'POST') this.bucket ??= { location: (JSON.parse(text) as { location: string }).location };
        if (this.bucket) body = { bucket: { name: `projects/${PROJECT}/buckets/${PROJECT}.firebasestorage.app` } };
        else status = 404;
      } else if (url.startsWith('/firebaserules')) {
        const name = url.split('/').at(-1)!;
        body = url.includes('/releases')
          ? {
              releases: Object.keys(this.rules).map((each, i) => ({
                name: `projects/${PROJECT}/releases/${each}`,
                rulesetName: `projects/${PROJECT}/rulesets/${i}`,
              })),
            }
          : { source: { files: [{ content: Object.values(this.rules)[Number(name)] }] } };
      } else if (url.startsWith('/firebasehosting')) {
        if (url.endsWith('/sites')) body = { sites: this.sites };
        else body = this.isSiteReleased ? { releases: [{}] } : {};
      } else if (url.includes('defaultSupportedIdpConfigs')) {
        body = { defaultSupportedIdpConfigs: this.identityProviders };
      } else if (url.includes('accounts:batchGet')) {
        body = this.hasUsers ? { users: [{}] } : {};
      } else {
        this.#need(this.apis.has('identitytoolkit.googleapis.com'), 'SERVICE_DISABLED');
        if (method === 'POST') this.authentication ??= {};
        else if (!this.authentication) status = 404;
        else if (method === 'PATCH') {
          const [, mask = ''] = /updateMask=(.*)$/.exec(url) ?? [];
          const sent = JSON.parse(text) as object;
          this.#need(mask.split(',').length === Object.keys(sent).length, 'the mask and the body differ');
          this.authentication = { ...this.authentication, ...sent };
        }
        body = this.authentication ?? { error: { message: 'CONFIGURATION_NOT_FOUND' } };
      }
      return { status: 0, stdout: '', stderr: '' };
    });
    return outcome.status === 0 ? { status, body } : { status: 403, body: { error: outcome.stderr } };
  }

  #need(isTrue: boolean, otherwise: string): void {
    if (!isTrue) throw new Refused(otherwise);
  }

  #options(command: Command, known: Record<string, string>): { name: string; words: string[]; option: Options } {
    const name = nameOf(command);
    const allowed = new Set(known[name]?.split(' '));
    this.#need(name in known, `unknown command ${name}`);
    const words = command.args.filter((each) => !each.startsWith('--')).slice(name.split(' ').length);
    const option: Options = {};
    for (const each of command.args.filter((each) => each.startsWith('--') && each !== name)) {
      const [, key = '', value = ''] = /^--([a-z-]+)(?:=([\s\S]*))?$/.exec(each) ?? [];
      this.#need(allowed.has(key), `unrecognized arguments: ${each}`);
      option[key] = value;
    }
    if (allowed.has('project')) this.#need(option['project'] === PROJECT, 'the project is missing');
    const api = apiOf[name.split(' ')[0]!];
    if (api) this.#need(this.apis.has(api), `${api} has been disabled`);
    return { name, words, option };
  }

  #policy(resource: string): Policy {
    const found = this.policies.get(resource) ?? { bindings: [] };
    this.policies.set(resource, found);
    return found;
  }

  #bind(resource: string, role: string, member: string): void {
    const account = member.replace('serviceAccount:', '');
    const isKnown = this.accounts.has(account) || (member === BUILDER && this.apis.has('compute.googleapis.com'));
    const unknown = resource === PROJECT ? `Service account ${account} does not exist.` : 'Unknown service account';
    this.#need(isKnown && this.propagating-- <= 0, `INVALID_ARGUMENT: ${unknown}`);
    const { bindings } = this.#policy(resource);
    const found = bindings.find((each) => each.role === role);
    if (found) found.members = [...new Set([...found.members, member])];
    else bindings.push({ role, members: [member] });
  }

  #exists(resource: string, name: string): boolean {
    if (name.startsWith('storage'))
      return this.bucket !== undefined && resource === `gs://${PROJECT}.firebasestorage.app`;
    if (name.startsWith('secrets')) return this.secretVersions.has(resource);
    if (name.startsWith('iam')) return this.accounts.has(resource);
    if (name.startsWith('run')) return this.functions.some((each) => each.toLowerCase() === resource);
    return resource === PROJECT;
  }

  #gcloud(command: Command): string {
    const { name, words, option } = this.#options(command, gcloudCommands);
    const [first = ''] = words;
    if (name === 'auth print-access-token') return 'a-token\n';
    return JSON.stringify(this.#answer(name, first, words, option)) ?? '';
  }

  #answer(name: string, first: string, words: string[], option: Options): unknown {
    if (name.endsWith('-iam-policy') || name.endsWith('-policy-binding')) {
      this.#need(this.#exists(first, name), `NOT_FOUND: ${first}`);
      if (name.endsWith('get-iam-policy')) return this.#policy(first);
      const isConditional = this.#policy(first).bindings.some(({ condition }) => condition !== undefined);
      this.#need(
        option['condition'] === 'None' || !isConditional,
        'Adding a binding without specifying a condition to a policy containing conditions is prohibited',
      );
      return this.#bind(first, option['role']!, option['member']!);
    }
    if (name in networkCommands) return this.network.run(name, first, option);
    switch (name) {
      case 'functions describe':
        this.#need(this.functions.includes(first) && this.functionsIn === option['region'], `NOT_FOUND: ${first}`);
        return {
          serviceConfig: {
            service: `projects/${PROJECT}/locations/${this.functionsIn}/services/${first.toLowerCase()}`,
            uri: `https://${first.toLowerCase()}-x-uc.a.run.app`,
          },
        };
      case 'version':
        return { 'Google Cloud SDK': '528.0.0' };
      case 'auth list':
        return this.isLoggedIn ? [{ account: 'me@example.org', status: 'ACTIVE' }] : [];
      case 'projects describe':
        this.#need(first === PROJECT, 'you do not have permission to access this project');
        return { projectId: PROJECT, projectNumber: NUMBER };
      case 'billing projects describe':
        return { billingEnabled: this.hasBilling };
      case 'services list':
        return [...this.apis].map((each) => ({ config: { name: each } }));
      case 'services enable':
        this.#need(words.length <= 20, 'at most 20 services');
        for (const each of words) this.apis.add(each);
        return undefined;
      case 'firestore databases list':
        return this.databases;
      case 'firestore databases create':
        this.#need(this.databases.length === 0, 'ALREADY_EXISTS');
        this.databases.push({
          name: `projects/${PROJECT}/databases/${option['database']}`,
          type: 'FIRESTORE_NATIVE',
          locationId: option['location']!,
        });
        return undefined;
      case 'firestore indexes composite list':
        this.#need(this.databases.length > 0, 'NOT_FOUND');
        return [{ state: this.buildingIndexes-- > 0 ? 'CREATING' : 'READY' }, { state: 'READY' }];
      case 'iam service-accounts list':
        return [...this.accounts].map((email) => ({ email }));
      case 'iam service-accounts create':
        this.accounts.add(`${first}@${PROJECT}.iam.gserviceaccount.com`);
        return undefined;
      case 'storage buckets describe':
        this.#need(this.bucket !== undefined, 'NOT_FOUND');
        return this.bucket;
      case 'storage buckets update': {
        this.#need(this.bucket !== undefined, 'NOT_FOUND');
        const read = (file: string) => JSON.parse(readFileSync(resolve(this.root, file), 'utf8')) as unknown;
        if (option['cors-file']) this.bucket!.cors = read(option['cors-file']);
        if (option['lifecycle-file']) this.bucket!.lifecycle = read(option['lifecycle-file']);
        return undefined;
      }
      case 'secrets list':
        return [...this.secretVersions.keys()].map((each) => ({ name: `projects/${NUMBER}/secrets/${each}` }));
      case 'secrets versions list':
        return (this.secretVersions.get(first) ?? []).map((_, i) => ({
          name: `projects/${NUMBER}/secrets/${first}/versions/${i + 1}`,
          state: this.disabledSecrets.has(first) ? 'DISABLED' : 'ENABLED',
        }));
      case 'logging sinks describe':
        return { name: '_Default', exclusions: this.exclusions };
      case 'logging sinks update': {
        const [, id = '', filter = ''] =
          /^name=([\w.-]+),filter=(.+?)(?:,disabled=false)?$/.exec(
            option['add-exclusion'] ?? option['update-exclusion'] ?? '',
          ) ?? [];
        this.exclusions = [...this.exclusions.filter((each) => each.name !== id), { name: id, filter }];
        return undefined;
      }
      case 'artifacts repositories list':
        return this.functionsIn === option['location']
          ? [
              {
                name: 'x/repositories/gcf-artifacts',
                labels: this.repositoryLabels,
                cleanupPolicies: this.hasCleanupPolicy ? { days: {} } : {},
              },
            ]
          : [];
      case 'scheduler jobs list':
        return this.functions
          .filter((each) => each === 'finishDeletions')
          .map((each) => ({ name: `x/jobs/firebase-schedule-${each}-${this.functionsIn}` }));
      default:
        throw new Error(`The stand-in does not play ${name}.`);
    }
  }

  #firebase(command: Command, input: string): string {
    const { name, words, option } = this.#options(command, firebaseCommands);
    const [first = ''] = words;
    switch (name) {
      case '--version':
        return `${this.firebaseVersion}\n`;
      case 'projects:list':
        return JSON.stringify({ status: 'success', result: this.isFirebase ? [{ projectId: PROJECT }] : [] });
      case 'projects:addfirebase':
        this.isFirebase = true;
        return '';
      case 'hosting:sites:list':
        return JSON.stringify({ status: 'success', result: { sites: this.sites } });
      case 'hosting:sites:create':
        this.#need(this.sites.length === 0, 'the site exists');
        this.sites.push({ name: `projects/${PROJECT}/sites/${first}`, type: 'DEFAULT_SITE' });
        return '';
      case 'functions:secrets:set':
        this.#need(option['data-file'] === '-' && input !== '', 'no value');
        this.secretVersions.set(first, [...(this.secretVersions.get(first) ?? []), input]);
        return '';
      case 'functions:artifacts:setpolicy':
        this.hasCleanupPolicy = this.functionsIn === option['location'];
        return '';
      case 'functions:list':
        return JSON.stringify({ status: 'success', result: this.#allFunctions() });
      case 'deploy':
        return this.#deploy(option);
      default:
        throw new Error(`The stand-in does not play ${name}.`);
    }
  }

  #codebase(): string {
    const file = JSON.parse(readFileSync(join(this.root, 'firebase.json'), 'utf8')) as {
      functions: { codebase: string }[];
    };
    return file.functions[0]!.codebase;
  }

  #allFunctions(): OtherFunction[] {
    const region = this.functionsIn ?? '';
    return [...this.functions.map((id) => ({ id, region, codebase: this.#codebase() })), ...this.otherFunctions];
  }

  /** firebase-tools deletes functions of the codebase that the code does not have. It prints them as here. */
  #deleteRemoved(hasForce: boolean): void {
    const removed = this.otherFunctions.filter(({ codebase }) => codebase === this.#codebase());
    const list = removed.map(({ id, region }) => `\t${id}(${region})`).join('\n');
    this.#need(
      removed.length === 0 || hasForce,
      'The following functions are found in your project but do not exist in your local source code:\n' +
        `${list}\n\nAborting because deletion cannot proceed in non-interactive mode.`,
    );
    this.otherFunctions = this.otherFunctions.filter((each) => !removed.includes(each));
  }

  /** firebase-tools ends a non-interactive deploy without a cleanup policy after the functions and before the site. */
  #deploy(option: Options): string {
    const targets = option['only']!.split(',');
    if (targets.includes('firestore')) this.#need(this.databases.length > 0, 'database (default) does not exist');
    if (targets.includes('storage')) this.#need(this.bucket !== undefined, 'Firebase Storage has not been set up');
    if (targets.includes('hosting')) this.#need(this.sites.length > 0, 'there is no Hosting site');
    if (targets.includes('hosting')) {
      this.#need(this.functions.length > 0, 'Unable to find a valid endpoint for function');
      this.isSiteReleased = true;
    }
    if (!targets.includes('functions')) return '';
    this.#deleteRemoved('force' in option);
    const file = readFileSync(join(this.root, 'functions', `.env.${PROJECT}`), 'utf8');
    const common = readFileSync(join(this.root, 'functions', '.env'), 'utf8');
    const settings = new Map(
      `${common}\n${file}`.split('\n').flatMap((line) => {
        const [, key, value] = /^(\w+)="?(.*?)"?$/.exec(line) ?? [];
        return key === undefined ? [] : [[key, value!] as const];
      }),
    );
    const account = settings.get('SERVICE_ACCOUNT')!;
    this.#need(this.accounts.has(account), `${account} does not exist`);
    this.#need(
      this.#policy(PROJECT).bindings.some(({ members }) => members.includes(BUILDER)),
      'the build failed',
    );
    for (const secret of ['SERVICE_SECRET', 'RESEND_API_KEY']) {
      this.#need((this.secretVersions.get(secret) ?? []).length > 0, `${secret} has no version`);
    }
    if (this.functions.length === 0) {
      this.functions = ['getServiceInfo', 'deckSite', 'finishDeletions'];
      this.#bind('finishdeletions', 'roles/run.invoker', `serviceAccount:${account}`);
    }
    this.functionsIn = settings.get('REGION')!;
    this.onDeploy(settings);
    if ('force' in option) this.hasCleanupPolicy = true;
    const errors = this.failsToCreate ? `Functions deploy had errors\n${this.failsToCreate}` : '';
    if (!this.hasCleanupPolicy && !('firebase-functions-cleanup-opted-out' in this.repositoryLabels)) {
      throw new Refused(`${errors}Functions successfully deployed but could not set up cleanup policy`, true);
    }
    if (errors) throw new Refused(`${errors}There was an error deploying functions`);
    return '';
  }
}

type Options = Record<string, string>;

function nameOf({ program, args }: Command): string {
  if (program === 'firebase') return args[0]!;
  const names = Object.keys(gcloudCommands).sort((a, b) => b.length - a.length);
  return names.find((name) => args.join(' ').startsWith(name)) ?? args.join(' ');
}
