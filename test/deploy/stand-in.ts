import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Endpoint } from '../../deploy/built';
import { shellLine, type Command, type Outcome } from '../../deploy/command';
import { close, listen } from '../support/sockets';
import { apiOf, gcloudCommands } from './gcloud';
import { permissionsOf } from './permissions';
import { BUILDER, CODEBASE, Project, PROJECT } from './project';
import { need, Refused, type Options } from './refused';
import { beginRestore, databaseOf, softDelete } from './safety-cloud';
import { INVOKER } from './services';

/** What the stand-in refuses, before or after the call took effect, by the call as a shell or curl line. */
export type Refusal = (line: string) => 'before' | 'after' | undefined;

/** What firebase-tools prints above the functions that an organization does not allow to be public. */
const NOT_PUBLIC = 'Unable to set the invoker for the IAM policy on the following functions:';

const MUTATION =
  /\b(enable|create|update|update-traffic|add-iam-policy-binding|addfirebase|set|setpolicy|deploy|delete|restore|clone|(add|remove)-backend)$/;

/**
 * Programs named gcloud and firebase, and the REST APIs, over the state of one project in memory. It refuses commands
 * and options that the real programs do not have, and what the cloud refuses: APIs that are not enabled, resources that
 * do not exist, functions whose account may not read their secrets.
 */
export class StandIn extends Project {
  /** Every call, as a line for the shell. */
  readonly lines: string[] = [];
  /** The lines of the calls of the newest deploy that changed something. */
  readonly changes: string[] = [];
  /** Everything that the calls carried as arguments. */
  readonly argumentsSeen: string[] = [];
  refuses: Refusal = () => undefined;
  /** The permissions that calls needed. */
  readonly used = new Set<string>();
  #server: Server | undefined;

  constructor(
    private readonly root: string,
    /** Called when the functions are deployed, with their settings. */
    private readonly onDeploy: (settings: ReadonlyMap<string, string>) => void,
  ) {
    super();
  }

  /** Serves the REST APIs, and the programs of test/deploy/programs. */
  async listen(): Promise<string> {
    this.#server = createServer((request, response) => {
      void text(request).then((sent) => {
        if (request.url === '/run') return response.end(JSON.stringify(this.run(JSON.parse(sent) as Command)));
        const { status, body } = this.#rest(request.method!, request.url!, sent);
        response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
      });
    });
    return `http://127.0.0.1:${await listen(this.#server)}`;
  }

  async close(): Promise<void> {
    if (this.#server) await close(this.#server);
  }

  run(command: Command): Outcome {
    const { program, args, input } = command;
    this.argumentsSeen.push(...args);
    const name = nameOf(command);
    return this.#play(shellLine({ program, args }), MUTATION.test(name), `${program} ${name}`, () => {
      const stdout = program === 'gcloud' ? this.#gcloud(command) : this.#firebase(command, input?.value ?? '');
      return { status: 0, stdout, stderr: '' };
    });
  }

  #play(line: string, changes: boolean, name: string, work: () => Outcome): Outcome {
    this.lines.push(line);
    const refusal = this.refuses(line);
    if (refusal === 'before') return { status: 1, stdout: '', stderr: 'ERROR: the stand-in refuses this call' };
    try {
      this.#authorize(name, line);
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

  /** Refuses a call whose permission the account lacks, and a call whose permissions are not known. */
  #authorize(name: string, line: string): void {
    const needed = permissionsOf(name, line);
    need(needed !== undefined, `unknown permissions of ${line}`);
    for (const each of needed) {
      this.used.add(each);
      need(this.granted?.has(each) ?? true, `PERMISSION_DENIED: Permission '${each}' denied on the project`);
    }
  }

  #rest(method: string, url: string, text: string): { status: number; body: unknown } {
    if (this.expiredTokens-- > 0) return { status: 401, body: { error: { status: 'UNAUTHENTICATED' } } };
    if (this.unknownApis-- > 0) {
      const details = [{ reason: 'SERVICE_DISABLED', metadata: { service: url.split('/')[1] } }];
      return { status: 403, body: { error: { details } } };
    }
    if (url.includes('testIamPermissions') && this.unknownPermission && text.includes(this.unknownPermission)) {
      return { status: 400, body: { error: { message: `Permission ${this.unknownPermission} is not valid` } } };
    }
    let body: unknown;
    const changes = method !== 'GET' && !url.endsWith(':testIamPermissions');
    const outcome = this.#play(`${method} ${url}`, changes, method, () => {
      body = this.#restAnswer(method, url, text);
      return { status: 0, stdout: '', stderr: '' };
    });
    if (outcome.status !== 0) return { status: 403, body: { error: outcome.stderr } };
    return body ? { status: 200, body } : { status: 404, body: { error: { message: 'NOT_FOUND' } } };
  }

  /** The body of an answer; undefined for what does not exist. */
  #restAnswer(method: string, url: string, text: string): object | undefined {
    if (url.includes('testIamPermissions')) {
      const { permissions } = JSON.parse(text) as { permissions: string[] };
      return { permissions: permissions.filter((each) => this.granted?.has(each) ?? true) };
    }
    if (url.includes('firebasestorage')) {
      need(this.apis.has('firebasestorage.googleapis.com'), 'SERVICE_DISABLED');
      if (method === 'POST') {
        const { location } = JSON.parse(text) as { location: string };
        this.bucket ??= { location, softDeletePolicy: softDelete('7d') };
      }
      return this.bucket && { bucket: { name: `projects/${PROJECT}/buckets/${PROJECT}.firebasestorage.app` } };
    }
    if (url.startsWith('/monitoring')) {
      need(this.apis.has('monitoring.googleapis.com'), 'SERVICE_DISABLED');
      return this.monitoring.answer(method, url, text);
    }
    if (url.startsWith('/firebaserules') && url.includes('/releases')) {
      const named = (name: string, i: number) => ({ name, rulesetName: `projects/${PROJECT}/rulesets/${i}` });
      return { releases: Object.keys(this.rules).map((each, i) => named(`projects/${PROJECT}/releases/${each}`, i)) };
    }
    if (url.startsWith('/firebaserules')) {
      return { source: { files: [{ content: Object.values(this.rules)[Number(url.split('/').at(-1))] }] } };
    }
    if (url.startsWith('/firebasehosting')) {
      if (url.endsWith('/sites')) return { sites: this.sites };
      const [, version = ''] = /versionName=(.*)$/.exec(url) ?? [];
      if (method === 'POST') this.#serve(version, (JSON.parse(text) as { message: string }).message);
      return { releases: this.siteReleases.length > 0 ? this.siteReleases : this.isSiteReleased ? [{}] : [] };
    }
    if (url.startsWith('/run.googleapis.com')) {
      const [, service = ''] = /\/services\/([\w-]+):getIamPolicy$/.exec(url) ?? [];
      const exists = this.services.all.some(({ id }) => id.toLowerCase() === service);
      need(exists, `NOT_FOUND: ${service}`);
      return this.policy(service);
    }
    if (url.includes('defaultSupportedIdpConfigs')) return { defaultSupportedIdpConfigs: this.identityProviders };
    if (url.includes('accounts:batchGet')) return { users: this.hasUsers ? [{}] : [] };
    need(this.apis.has('identitytoolkit.googleapis.com'), 'SERVICE_DISABLED');
    if (method === 'POST') this.authentication ??= {};
    if (method === 'PATCH' && this.authentication) {
      const [, mask = ''] = /updateMask=(.*)$/.exec(url) ?? [];
      const sent = JSON.parse(text) as object;
      need(mask.split(',').length === Object.keys(sent).length, 'the mask and the body differ');
      this.authentication = { ...this.authentication, ...sent };
    }
    return this.authentication;
  }

  #options(command: Command, known: string | undefined): { words: string[]; option: Options } {
    const name = nameOf(command);
    need(known !== undefined, `unknown command ${name}`);
    const allowed = new Set(known.split(' '));
    const words = command.args.filter((each) => !each.startsWith('--')).slice(name.split(' ').length);
    const option: Options = {};
    for (const each of command.args.filter((each) => each.startsWith('--') && each !== name)) {
      const [, key = '', value = ''] = /^--([a-z-]+)(?:=([\s\S]*))?$/.exec(each) ?? [];
      need(allowed.has(key), `unrecognized arguments: ${each}`);
      option[key] = value;
    }
    if (allowed.has('project')) need(option['project'] === PROJECT, 'the project is missing');
    const api = apiOf[name.split(' ')[0]!];
    if (api) need(this.apis.has(api), `${api} has been disabled`);
    return { words, option };
  }

  #gcloud(command: Command): string {
    const name = nameOf(command);
    if (name === 'auth print-access-token') return 'a-token\n';
    const [known, play] = gcloudCommands[name] ?? [];
    const { words, option } = this.#options(command, known);
    return JSON.stringify(play!(this, option, words, this.root)) ?? '';
  }

  #firebase(command: Command, input: string): string {
    const [known, play] = this.#firebaseCommands[nameOf(command)] ?? [];
    const { words, option } = this.#options(command, known);
    const answer = play!(option, words, input);
    return typeof answer === 'object' ? JSON.stringify({ status: 'success', result: answer }) : (answer ?? '');
  }

  /** The options of each command in firebase-tools 15.34, and what it does. An object is printed as a JSON result. */
  readonly #firebaseCommands: Record<
    string,
    [options: string, play: (option: Options, words: string[], input: string) => string | object | void]
  > = {
    '--version': ['', () => `${this.firebaseVersion}\n`],
    'projects:list': ['json', () => (this.isFirebase ? [{ projectId: PROJECT }] : [])],
    'projects:addfirebase': ['non-interactive', () => void (this.isFirebase = true)],
    'hosting:sites:list': ['project json', () => ({ sites: this.sites })],
    'hosting:sites:create': [
      'project non-interactive',
      (_option, [id]) => {
        need(this.sites.length === 0, 'the site exists');
        this.sites.push({ name: `projects/${PROJECT}/sites/${id}`, type: 'DEFAULT_SITE' });
      },
    ],
    'functions:secrets:set': [
      'data-file project non-interactive',
      (option, [secret = ''], input) => {
        need(option['data-file'] === '-' && input !== '', 'no value');
        this.secretVersions.set(secret, [...(this.secretVersions.get(secret) ?? []), input]);
      },
    ],
    'functions:artifacts:setpolicy': [
      'location days project force non-interactive',
      ({ location }) => void (this.hasCleanupPolicy = this.functionsIn === location),
    ],
    'firestore:databases:clone': [
      'snapshot-time project non-interactive',
      (option, [from, to = '']) => {
        need(
          this.databases.some(({ name }) => name === from),
          `NOT_FOUND: ${from}`,
        );
        need(/^\d{4}-\d\d-\d\dT\d\d:\d\d:00Z$/.test(option['snapshot-time']!), 'INVALID_ARGUMENT: a whole minute');
        beginRestore(this, to.split('/').at(-1)!, 'CloneDatabaseMetadata');
      },
    ],
    'functions:list': ['project json', () => this.services.listFunctions()],
    'functions:delete': ['region force project non-interactive', (option, names) => this.#delete(option, names)],
    deploy: ['only force config message project non-interactive', (option) => this.#deploy(option)],
  };

  #delete({ region, force }: Options, names: readonly string[]): void {
    need(force !== undefined, 'Command aborted.');
    for (const name of names) {
      const found = this.services.all.find((each) => `${each.codebase}:${each.id}` === name && each.region === region);
      need(found !== undefined, 'The specified filters do not match any existing functions');
      this.services.all = this.services.all.filter((each) => each !== found);
    }
  }

  #serve(version: string, message: string | undefined): void {
    this.siteReleases.unshift({ ...(message !== undefined && { message }), version: { name: version } });
  }

  #deploy(option: Options): void {
    const targets = option['only']!.split(',');
    if (targets.includes('firestore')) this.#deployRules(option['config'] ?? 'firebase.json');
    if (targets.includes('storage')) need(this.bucket !== undefined, 'Firebase Storage has not been set up');
    if (targets.includes('hosting')) {
      need(this.sites.length > 0, 'there is no Hosting site');
      need(this.functions.length > 0, 'Unable to find a valid endpoint for function');
      this.isSiteReleased = true;
      this.#serve(`sites/${PROJECT}/versions/${this.siteReleases.length + 1}`, option['message']);
    }
    const functions = targets.filter((each) => each.startsWith('functions'));
    if (functions.length > 0) this.#deployFunctions(functions, 'force' in option);
  }

  /** firebase-tools deploys the functions that `--only` names, and tells last that there is no cleanup policy. */
  #deployFunctions(targets: readonly string[], hasForce: boolean): void {
    const settings = this.#settings();
    const region = settings.get('REGION')!;
    const group = targets.map((target) => {
      const [, name] = new RegExp(`^functions:${CODEBASE}:(\\w+)$`).exec(target) ?? [];
      const found = this.source.find((each) => each.name === name);
      need(found !== undefined, 'No function matches given --only filters. Aborting deployment.');
      return { ...found, region };
    });
    const account = settings.get('SERVICE_ACCOUNT')!;
    need(this.accounts.has(account), `${account} does not exist`);
    const canBuild = this.policy(PROJECT).bindings.some(({ members }) => members.includes(BUILDER));
    need(canBuild, 'the build failed');
    for (const secret of ['SERVICE_SECRET', 'RESEND_API_KEY', 'RESEND_WEBHOOK_SECRET']) {
      need((this.secretVersions.get(secret) ?? []).length > 0, `${secret} has no version`);
    }
    this.#deleteElsewhere(group, hasForce);
    const bill = (name: string) => this.services.of(CODEBASE, region).find(({ id }) => id === name)?.minInstances ?? 0;
    const costsMore = group.some(({ name, minInstances }) => minInstances > bill(name));
    need(hasForce || !costsMore, 'Pass the --force option to deploy functions that increase the minimum bill');
    this.functionsIn = region;
    const problems = group.map((each) => [each, this.#deployOne(each, settings, account)] as const);
    this.onDeploy(settings);
    if (hasForce) this.hasCleanupPolicy = true;
    this.#report(problems.filter(([, problem]) => problem !== undefined));
  }

  /** firebase-tools deletes functions of these names in other regions, with --force only. It prints them as here. */
  #deleteElsewhere(group: readonly Endpoint[], hasForce: boolean): void {
    const isElsewhere = ({ id, region }: { id: string; region: string }) =>
      group.some((each) => each.name === id && each.region !== region);
    const removed = this.services.all.filter((each) => each.codebase === CODEBASE && isElsewhere(each));
    const list = removed.map(({ id, region }) => `\t${id}(${region})`).join('\n');
    need(
      removed.length === 0 || hasForce,
      'The following functions are found in your project but do not exist in your local source code:\n' +
        `${list}\n\nAborting because deletion cannot proceed in non-interactive mode.`,
    );
    this.services.all = this.services.all.filter((each) => !removed.includes(each));
  }

  /** Answers why the function was not deployed completely. */
  #deployOne(endpoint: Endpoint, settings: ReadonlyMap<string, string>, account: string): string | undefined {
    const { name, kind } = endpoint;
    const problem = this.failsToCreate(name) ?? this.services.deploy(endpoint, CODEBASE, Object.fromEntries(settings));
    if (problem !== undefined) return problem;
    const service = name.toLowerCase();
    if (kind === 'job') {
      if (this.policy(service).bindings.length === 0) this.bind(service, INVOKER, `serviceAccount:${account}`);
    } else if (kind === 'task') return undefined;
    else if (this.allowsEverybody) this.bind(service, INVOKER, 'allUsers');
    else return NOT_PUBLIC;
    return undefined;
  }

  #report(problems: readonly (readonly [Endpoint, string | undefined])[]): void {
    const list = (some: typeof problems) =>
      some.map(([{ name, region }]) => `\n\t${CODEBASE}:${name}(${region})`).join('');
    const notPublic = problems.filter(([, problem]) => problem === NOT_PUBLIC);
    const reasons = problems.map(([, problem]) => `\n${problem}`).join('');
    const errors =
      problems.length === 0
        ? ''
        : `Functions deploy had errors with the following functions:${list(problems)}\n` +
          `${notPublic.length > 0 ? `\n${NOT_PUBLIC}${list(notPublic)}\n` : ''}${reasons}\n`;
    if (!this.hasCleanupPolicy && !('firebase-functions-cleanup-opted-out' in this.repositoryLabels)) {
      throw new Refused(`${errors}Functions successfully deployed but could not set up cleanup policy`, true);
    }
    if (errors) throw new Refused(`${errors}There was an error deploying functions`, true);
  }

  #deployRules(file: string): void {
    const { firestore } = JSON.parse(readFileSync(join(this.root, file), 'utf8')) as {
      firestore: { database?: string };
    };
    const { database = '(default)' } = firestore;
    databaseOf(this, { database }).hasRules = true;
  }

  /** The settings with which firebase-tools deploys the functions. */
  #settings(): Map<string, string> {
    const files = ['.env', `.env.${PROJECT}`].map((file) => readFileSync(join(this.root, 'functions', file), 'utf8'));
    const lines = [...files.join('\n').matchAll(/^(\w+)="?(.*?)"?$/gm)];
    return new Map(lines.map(([, key, value]) => [key!, value!] as const));
  }
}

function nameOf({ program, args }: Command): string {
  if (program === 'firebase') return args[0]!;
  const names = Object.keys(gcloudCommands).sort((a, b) => b.length - a.length);
  return names.find((name) => args.join(' ').startsWith(name)) ?? args.join(' ');
}
