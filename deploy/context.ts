import { setTimeout as pause } from 'node:timers/promises';
import type { Built } from './built';
import { curlLine, gcloud, shellLine, StepFailure, type Command, type Outcome, type RestCall } from './command';
import { apis, FUNCTIONS_ACCOUNT, safeguards } from './tables';
import { Settings } from './settings';
import type { Surroundings } from './surroundings';

export interface DeployOptions {
  project: string;
  region?: string;
  firestoreLocation?: string;
  mailFrom?: string;
  operator?: string;
  proxyHops?: number;
  /** The origin of decks, which the deploy makes. False ends the use of the one that the settings have. */
  deckOrigin?: string | false;
  /** Other settings, as NAME=value. */
  set?: readonly string[];
  clientAddress?: string;
  existingProject?: boolean;
  /** A backup of the database, or the time of one of its states. */
  restore?: string;
  deleteRemoved?: boolean;
  /** Goes back to the release before, and runs no other step. */
  rollback?: boolean;
  dryRun?: boolean;
  only?: string;
  from?: string;
}

/** The same default as in functions/src/config.ts. */
export const DEFAULT_REGION = 'us-central1';
export const DEFAULT_DATABASE = '(default)';
/** The variable of a deployed function that says with which release it was deployed. */
export const RELEASE_ID = 'RELEASE_ID';
/** Settings that only the deploy reads: another value of them deploys no function again. */
const SETTINGS_OF_DEPLOY = new Set([RELEASE_ID, 'RESTORE', 'ALERT_EMAIL', ...safeguards.map(({ setting }) => setting)]);
/** Google needs up to this many pauses until a new account or API is known everywhere. */
const PROPAGATION_TRIES = 12;

/** What a person can do after a failure, which may depend on what the program printed. */
type Advice = string | ((output: string) => string);

/** What the steps of one deploy share. */
export class Deploy {
  readonly settings: Settings;
  /** The APIs that are enabled; undefined before the first look. */
  enabledApis: Set<string> | undefined;
  /** The database of the deployed functions; undefined where none are deployed. The step `preflight` reads it. */
  runningDatabase: string | undefined;
  /** The address of the operator, empty when there is none; undefined before it was asked for. */
  operator: string | undefined;
  #token: Promise<string> | undefined;
  #bucket: string | undefined;
  #built: Built | undefined;

  constructor(
    readonly options: DeployOptions,
    readonly around: Surroundings,
  ) {
    this.settings = new Settings(around.root, options.project);
  }

  get project(): string {
    return this.options.project;
  }

  get isDryRun(): boolean {
    return this.options.dryRun ?? false;
  }

  get region(): string {
    return this.options.region ?? this.settings.get('REGION') ?? DEFAULT_REGION;
  }

  /** The account that the deploy creates. */
  get ownAccount(): string {
    return `${FUNCTIONS_ACCOUNT}@${this.project}.iam.gserviceaccount.com`;
  }

  /** The account as which the functions run: that of the settings, or the account that the deploy creates. */
  get account(): string {
    // firebase-tools completes an account that ends with @ in the same way.
    return (this.setting('SERVICE_ACCOUNT') ?? this.ownAccount).replace(
      /@$/,
      `@${this.project}.iam.gserviceaccount.com`,
    );
  }

  /** A setting after the options of this deploy. */
  setting(name: string): string | undefined {
    const given = this.options.set?.findLast((each) => each.startsWith(`${name}=`));
    return given?.slice(name.length + 1) ?? this.settings.get(name);
  }

  get baseUrl(): string {
    const url = this.setting('BASE_URL') ?? `https://${this.region}-${this.project}.cloudfunctions.net`;
    return url.replace(/\/+$/, '');
  }

  /** The id of the database. */
  get database(): string {
    return this.setting('DATABASE_ID') ?? DEFAULT_DATABASE;
  }

  /** The settings of the functions that have a value. */
  settingsOfFunctions(): Record<string, string> {
    const given = (this.options.set ?? []).map((each) => each.split('=', 1)[0]!);
    const names = [...new Set([...this.settings.names(), ...given])].sort();
    const values = names.flatMap((name) => {
      const value = this.setting(name);
      return value === undefined || SETTINGS_OF_DEPLOY.has(name) ? [] : [[name, value] as const];
    });
    return { ...Object.fromEntries(values), REGION: this.region };
  }

  /** The built functions, under the settings of now. */
  async built(): Promise<Built> {
    const { project } = this;
    this.#built ??= await this.around.readBuilt({
      ...this.settingsOfFunctions(),
      GCLOUD_PROJECT: project,
      FIREBASE_CONFIG: JSON.stringify({ projectId: project, storageBucket: this.bucket }),
    });
    return this.#built;
  }

  get bucket(): string {
    return this.#bucket ?? `${this.project}.firebasestorage.app`;
  }

  set bucket(name: string) {
    this.#bucket = name;
  }

  /**
   * Reads JSON from a program that changes nothing. A dry run reads nothing and returns `whenEmpty`, the answer of an
   * empty project.
   */
  async look<T>(command: Command, whenEmpty: T, advice?: string): Promise<T> {
    if (this.isDryRun) {
      this.around.print(`# reads: ${shellLine(command)}`);
      return whenEmpty;
    }
    const { stdout } = await this.#run(command, advice);
    try {
      return stdout.trim() === '' ? whenEmpty : (JSON.parse(stdout) as T);
    } catch {
      throw new StepFailure(`This command answered something else than JSON:\n\n  ${shellLine(command)}\n\n${stdout}`);
    }
  }

  /** Runs a command that changes the project. A dry run prints it. */
  async act(command: Command, advice?: Advice): Promise<void> {
    if (this.isDryRun) return this.around.print(shellLine(command));
    await this.#run(command, advice);
  }

  async #run(command: Command, advice?: Advice): Promise<Outcome> {
    for (let left = PROPAGATION_TRIES; ; left--) {
      const outcome = await this.around.run(command).catch((error: NodeJS.ErrnoException) => {
        throw new StepFailure(
          `${command.program} could not be started: ${error.message}`,
          `Install ${command.program}, or add its folder to PATH.`,
        );
      });
      if (outcome.status === 0) return outcome;
      const output = this.#withoutSecrets(`${outcome.stderr}\n${outcome.stdout}`.trim(), command);
      if (!this.#isPropagating(output) || left <= 1) {
        const told = `This command failed:\n\n  ${shellLine(command)}\n\n${indented(output)}`;
        throw new StepFailure(told, typeof advice === 'function' ? advice(output) : advice);
      }
      await this.#awaitPropagation(left);
    }
  }

  /**
   * Whether the same call may succeed soon: a new service account and a new API are not known everywhere at once. An
   * earlier run can have enabled the API.
   */
  #isPropagating(output: string): boolean {
    return (
      /Service account \S+ does not exist|Unknown service account/i.test(output) ||
      (/has not been used in project \S+ before|SERVICE_DISABLED/.test(output) &&
        apis.some(({ name }) => output.includes(name)))
    );
  }

  async #awaitPropagation(left: number): Promise<void> {
    if (left === PROPAGATION_TRIES) this.around.print('… waiting until Google knows the new account or API everywhere');
    await pause(this.around.pauseMs);
  }

  #withoutSecrets(text: string, { input }: Command): string {
    return input && input.value.trim() !== '' ? text.replaceAll(input.value.trim(), '<secret>') : text;
  }

  /** Calls a REST API and answers the status and body. A 404 is an answer; other refusals throw. */
  async call(call: RestCall, changes: boolean, advice?: string): Promise<{ status: number; body: unknown }> {
    if (this.isDryRun) {
      this.around.print(changes ? curlLine(call) : `# reads: ${curlLine(call)}`);
      return { status: 404, body: undefined };
    }
    for (let left = PROPAGATION_TRIES; ; left--) {
      let { status, text } = await this.#send(call);
      // A token is valid for an hour, and a release may take longer.
      if (status === 401) {
        this.#token = undefined;
        ({ status, text } = await this.#send(call));
      }
      if (status < 400 || (status === 404 && !changes)) return { status, body: parsed(text) };
      if (!this.#isPropagating(text) || left <= 1) {
        const told = `This call was answered with ${status}:\n\n  ${curlLine(call)}\n\n${indented(text)}`;
        throw new StepFailure(told, advice);
      }
      await this.#awaitPropagation(left);
    }
  }

  async #send(call: RestCall): Promise<{ status: number; text: string }> {
    const { method, url, body, project } = call;
    this.#token ??= this.#run(gcloud('auth', 'print-access-token')).then(({ stdout }) => stdout.trim());
    const token = await this.#token;
    try {
      const response = await fetch(this.around.locate(url), {
        method,
        headers: {
          authorization: `Bearer ${token}`,
          'x-goog-user-project': project,
          ...(body && { 'content-type': 'application/json' }),
        },
        ...(body && { body: JSON.stringify(body) }),
      });
      return { status: response.status, text: await response.text() };
    } catch (error) {
      throw new StepFailure(`This call failed:\n\n  ${curlLine(call)}\n\n${indented(describe(error as Error))}`);
    }
  }

  /** A value that only the person knows. Fails where there is no terminal to ask in. */
  async answer(question: string, howElse: string, isSecret = false): Promise<string> {
    const given = await this.around.ask?.(question, isSecret);
    if (given) return given;
    throw new StepFailure(`A value is missing: ${question.replace(/[:\s]+$/, '')}.`, howElse);
  }
}

/** The cause of a failed fetch says more than its message. */
export const describe = ({ message, cause }: Error) => (cause instanceof Error ? cause.message : message);

export const indented = (text: string) =>
  text
    .split('\n')
    .map((line) => `  ${line}`.trimEnd())
    .join('\n');

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
