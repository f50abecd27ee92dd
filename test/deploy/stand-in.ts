import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { shellLine, type Command, type Outcome } from '../../deploy/command';
import { close, listen } from '../support/sockets';
import { apiOf, gcloudCommands } from './gcloud';
import { permissionsOf } from './permissions';
import { BUILDER, Project, PROJECT, type OtherFunction } from './project';
import { need, Refused, type Options } from './refused';
import { beginRestore, databaseOf, softDelete } from './safety-cloud';

/** What the stand-in refuses, before or after the call took effect, by the call as a shell or curl line. */
export type Refusal = (line: string) => 'before' | 'after' | undefined;

const MUTATION =
  /\b(enable|create|update|add-iam-policy-binding|addfirebase|set|setpolicy|deploy|delete|restore|clone|(add|remove)-backend)$/;

/**
 * Programs named gcloud and firebase, and the REST APIs, over the state of one project in memory. It refuses commands
 * and options that the real programs do not have, and what the cloud refuses: APIs that are not enabled, resources that
 * do not exist, functions whose account may not read their secrets.
 */
export class StandIn extends Project {
  /** Every call, as a line for the shell. */
  readonly lines: string[] = [];
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
      return url.endsWith('/sites') ? { sites: this.sites } : { releases: this.isSiteReleased ? [{}] : [] };
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
    const answer = play!(option, words[0] ?? '', input, words[1]);
    return typeof answer === 'object' ? JSON.stringify({ status: 'success', result: answer }) : (answer ?? '');
  }

  /** The options of each command in firebase-tools 15.34, and what it does. An object is printed as a JSON result. */
  readonly #firebaseCommands: Record<
    string,
    [options: string, play: (option: Options, first: string, input: string, second?: string) => string | object | void]
  > = {
    '--version': ['', () => `${this.firebaseVersion}\n`],
    'projects:list': ['json', () => (this.isFirebase ? [{ projectId: PROJECT }] : [])],
    'projects:addfirebase': ['non-interactive', () => void (this.isFirebase = true)],
    'hosting:sites:list': ['project json', () => ({ sites: this.sites })],
    'hosting:sites:create': [
      'project non-interactive',
      (_option, id) => {
        need(this.sites.length === 0, 'the site exists');
        this.sites.push({ name: `projects/${PROJECT}/sites/${id}`, type: 'DEFAULT_SITE' });
      },
    ],
    'functions:secrets:set': [
      'data-file project non-interactive',
      (option, secret, input) => {
        need(option['data-file'] === '-' && input !== '', 'no value');
        this.secretVersions.set(secret, [...(this.secretVersions.get(secret) ?? []), input]);
      },
    ],
    'functions:artifacts:setpolicy': [
      'location days project force non-interactive',
      ({ location }) => void (this.hasCleanupPolicy = this.functionsIn === location),
    ],
    'functions:list': ['project json', () => this.#allFunctions()],
    'firestore:databases:clone': [
      'snapshot-time project non-interactive',
      (option, from, _input, to = '') => {
        need(
          this.databases.some(({ name }) => name === from),
          `NOT_FOUND: ${from}`,
        );
        need(/^\d{4}-\d\d-\d\dT\d\d:\d\d:00Z$/.test(option['snapshot-time']!), 'INVALID_ARGUMENT: a whole minute');
        beginRestore(this, to.split('/').at(-1)!, 'CloneDatabaseMetadata');
      },
    ],
    deploy: ['only force config project non-interactive', (option) => this.#deploy(option)],
  };

  #codebase(): string {
    const file = JSON.parse(readFileSync(join(this.root, 'firebase.json'), 'utf8')) as {
      functions: { codebase: string }[];
    };
    return file.functions[0]!.codebase;
  }

  #allFunctions(): OtherFunction[] {
    const region = this.functionsIn ?? '';
    const own = { region, codebase: this.#codebase(), environmentVariables: this.environment };
    return [...this.functions.map((id) => ({ id, ...own })), ...this.otherFunctions];
  }

  /** firebase-tools deletes functions of the codebase that the code does not have. It prints them as here. */
  #deleteRemoved(hasForce: boolean): void {
    const removed = this.otherFunctions.filter(({ codebase }) => codebase === this.#codebase());
    const list = removed.map(({ id, region }) => `\t${id}(${region})`).join('\n');
    need(
      removed.length === 0 || hasForce,
      'The following functions are found in your project but do not exist in your local source code:\n' +
        `${list}\n\nAborting because deletion cannot proceed in non-interactive mode.`,
    );
    this.otherFunctions = this.otherFunctions.filter((each) => !removed.includes(each));
  }

  /** firebase-tools ends a non-interactive deploy without a cleanup policy after the functions and before the site. */
  #deploy(option: Options): void {
    const targets = option['only']!.split(',');
    if (targets.includes('firestore')) this.#deployRules(option['config'] ?? 'firebase.json');
    if (targets.includes('storage')) need(this.bucket !== undefined, 'Firebase Storage has not been set up');
    if (targets.includes('hosting')) {
      need(this.sites.length > 0, 'there is no Hosting site');
      need(this.functions.length > 0, 'Unable to find a valid endpoint for function');
      this.isSiteReleased = true;
    }
    if (!targets.includes('functions')) return;
    this.#deleteRemoved('force' in option);
    const settings = this.#settings();
    const account = settings.get('SERVICE_ACCOUNT')!;
    need(this.accounts.has(account), `${account} does not exist`);
    const canBuild = this.policy(PROJECT).bindings.some(({ members }) => members.includes(BUILDER));
    need(canBuild, 'the build failed');
    for (const secret of ['SERVICE_SECRET', 'RESEND_API_KEY']) {
      need((this.secretVersions.get(secret) ?? []).length > 0, `${secret} has no version`);
    }
    if (this.functions.length === 0) {
      this.functions = ['getServiceInfo', 'deckSite', 'finishDeletions'];
      this.bind('finishdeletions', 'roles/run.invoker', `serviceAccount:${account}`);
    }
    this.functionsIn = settings.get('REGION')!;
    this.environment = Object.fromEntries(settings);
    this.onDeploy(settings);
    if ('force' in option) this.hasCleanupPolicy = true;
    const errors = this.failsToCreate ? `Functions deploy had errors\n${this.failsToCreate}` : '';
    if (!this.hasCleanupPolicy && !('firebase-functions-cleanup-opted-out' in this.repositoryLabels)) {
      throw new Refused(`${errors}Functions successfully deployed but could not set up cleanup policy`, true);
    }
    if (errors) throw new Refused(`${errors}There was an error deploying functions`);
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
