import type { Endpoint } from '../../deploy/built';
import { Monitoring } from './monitoring';
import { Network } from './network';
import { need, type Options } from './refused';
import { Services } from './services';

export const PROJECT = 'decks-test-1';
export const NUMBER = '4711';
/** The account that builds the image of the functions. */
export const BUILDER = `serviceAccount:${NUMBER}-compute@developer.gserviceaccount.com`;
export const BILLING_ACCOUNT = 'billingAccounts/01D-02E';
export const BUCKET = `gs://${PROJECT}.firebasestorage.app`;
export const BACKUP = `projects/${PROJECT}/locations/us-central1/backups/cf9f748a-7980-4703-b1a1-d1ffff591db0`;

export interface Database {
  name: string;
  type: string;
  locationId: string;
  deleteProtectionState?: string;
  pointInTimeRecoveryEnablement?: string;
  /** Whether rules and indexes were released. */
  hasRules?: boolean;
  /** The kind of the operation that fills the database. */
  filledBy?: string;
  schedules?: { name: string; retention: string; dailyRecurrence?: object; weeklyRecurrence?: object }[];
}

interface Budget {
  name: string;
  displayName: string;
  amount: { specifiedAmount: { units: string } };
  notificationsRule?: { monitoringNotificationChannels: string[] };
}
/** The codebase of firebase.json. */
export const CODEBASE = 'decks';

export const anEndpoint = (name: string, changes: Partial<Endpoint> = {}): Endpoint => ({
  ...({ name, region: 'us-central1', cpu: 0.08, maxCpu: 0.08, minInstances: 0, kind: 'public' } as const),
  ...changes,
});

type Policy = { bindings: { role: string; members: string[]; condition?: object }[] };

/** A function of another app, or one that the code of the service does not have. */
export type OtherFunction = { id: string; region: string; codebase: string };

/** The state of an empty project, in memory. */
export class Project {
  readonly secretVersions = new Map<string, string[]>();
  apis = new Set<string>(['serviceusage.googleapis.com', 'cloudresourcemanager.googleapis.com']);
  hasBilling = true;
  firebaseVersion = '15.34.0';
  isLoggedIn = true;
  isFirebase = false;
  /** The permissions of the account that deploys; undefined for those of an owner. */
  granted: Set<string> | undefined;
  /** A permission that Google does not know any more. */
  unknownPermission: string | undefined;
  /** Who is logged in. */
  deployer = 'me@example.org';
  sites: { name: string; type: string }[] = [];
  databases: Database[] = [];
  bucket: { cors?: unknown; lifecycle?: unknown; softDeletePolicy?: object; location: string } | undefined;
  /** The budgets of the billing account; undefined where the account that deploys may not see them. */
  budgets: Budget[] | undefined = [];
  authentication: object | undefined;
  /** Whether somebody signed up, in a project with another app. */
  hasUsers = false;
  identityProviders: object[] = [];
  /** The rules of each release, as the REST API shows them. */
  rules: Record<string, string> = {};
  /** How many looks find an index that is being built: a composite one, and one of a field. */
  buildingIndexes = 0;
  buildingFields = 0;
  disabledSecrets = new Set<string>();
  accounts = new Set<string>();
  policies = new Map<string, Policy>([
    [PROJECT, { bindings: [{ role: 'roles/owner', members: ['user:me@example.org'] }] }],
  ]);
  exclusions: { name: string; filter: string; disabled?: boolean }[] = [];
  hasCleanupPolicy = false;
  functionsIn: string | undefined;
  /** The code of the service: a few functions of each kind, and a hash of their files. */
  source: Endpoint[] = [
    anEndpoint('finishDeletions', { kind: 'job' }),
    anEndpoint('deckSite', { cpu: 1, maxCpu: 2 }),
    anEndpoint('getServiceInfo'),
  ];
  code = 'the first version';
  readonly services = new Services();
  backups: { name: string; database: string; snapshotTime: string; state: string }[] = [];
  /** How many looks find a database that is being restored, and the error with which the restore ends. */
  restoring = 0;
  restoreFails: string | undefined;
  /** Why a function is not deployed; undefined for what is. */
  failsToCreate: (name: string) => string | undefined = () => undefined;
  /** What the organization allows. */
  allowsEverybody = true;
  allowsNoCheck = true;
  isSiteReleased = false;
  /** The releases of the site, the newest first, as the REST API shows them. */
  siteReleases: { message?: string; version: { name: string } }[] = [];
  /** How many role bindings fail because a new account is not known everywhere yet. */
  propagating = 0;
  /** How many calls of the REST APIs fail because a new API is not known everywhere yet. */
  unknownApis = 0;
  /** How many calls of the REST APIs come with a token that has expired. */
  expiredTokens = 0;
  repositoryLabels: Record<string, string> = {};
  readonly network = new Network();
  readonly monitoring = new Monitoring();

  /** What a complete deploy leaves, without the values of secrets. */
  snapshot(): object {
    return structuredClone({
      sites: this.sites,
      databases: this.databases,
      bucket: this.bucket,
      budgets: this.budgets,
      monitoring: this.monitoring.resources,
      authentication: this.authentication,
      exclusions: this.exclusions,
      hasCleanupPolicy: this.hasCleanupPolicy,
      functions: this.functions,
      // A complete deploy leaves functions of one release.
      releases: new Set(
        this.services.all.filter(this.#isOwn).map((each) => each.revisions.at(-1)!.variables['RELEASE_ID']),
      ).size,
      otherFunctions: this.otherFunctions,
      isSiteReleased: this.isSiteReleased,
      apis: [...this.apis].sort(),
      accounts: [...this.accounts],
      policies: Object.fromEntries([...this.policies].sort(([a], [b]) => (a < b ? -1 : 1))),
      network: Object.fromEntries([...this.network.resources].filter(([, all]) => all.length > 0)),
      secrets: [...this.secretVersions].map(([name, versions]) => [name, versions.length]).sort(),
    });
  }

  #isOwn = ({ id, region, codebase }: OtherFunction) =>
    codebase === CODEBASE && region === this.functionsIn && this.source.some(({ name }) => name === id);

  /** The functions of the code that are deployed. */
  get functions(): string[] {
    return this.services.all.filter(this.#isOwn).map(({ id }) => id);
  }

  /** The settings with which the functions of the code were deployed last. */
  get environment(): Record<string, string> {
    return this.services.all.find(this.#isOwn)?.revisions.at(-1)!.variables ?? {};
  }

  /** Other functions of the project. */
  get otherFunctions(): OtherFunction[] {
    const others = this.services.all.filter((each) => !this.#isOwn(each));
    return others.map(({ id, region, codebase }) => ({ id, region, codebase }));
  }

  set otherFunctions(others: readonly OtherFunction[]) {
    this.services.all = this.services.all.filter(this.#isOwn);
    for (const { id, region, codebase } of others) this.services.deploy(anEndpoint(id, { region }), codebase, {});
  }

  /** Whether Google answers 403 to everybody who calls the function. */
  isClosed(name: string): boolean {
    const found = this.services.all.find(({ id, region }) => id === name && region === this.functionsIn);
    const { bindings } = this.policy(name.toLowerCase());
    return (
      found !== undefined && !found.isWithoutCheck && !bindings.some(({ members }) => members.includes('allUsers'))
    );
  }

  policy(resource: string): Policy {
    const found = this.policies.get(resource) ?? { bindings: [] };
    this.policies.set(resource, found);
    return found;
  }

  bind(resource: string, role: string, member: string): void {
    const account = member.replace('serviceAccount:', '');
    const isKnown = this.accounts.has(account) || (member === BUILDER && this.apis.has('compute.googleapis.com'));
    if (member === 'allUsers') {
      need(
        this.allowsEverybody,
        'FAILED_PRECONDITION: One or more users named in the policy do not belong to a permitted customer.',
      );
      return this.#add(resource, role, member);
    }
    const unknown = resource === PROJECT ? `Service account ${account} does not exist.` : 'Unknown service account';
    need(isKnown && this.propagating-- <= 0, `INVALID_ARGUMENT: ${unknown}`);
    this.#add(resource, role, member);
  }

  #add(resource: string, role: string, member: string): void {
    const { bindings } = this.policy(resource);
    const found = bindings.find((each) => each.role === role);
    if (found) found.members = [...new Set([...found.members, member])];
    else bindings.push({ role, members: [member] });
  }
}

/** What a command answers as JSON. */
export type Play = (project: Project, option: Options, words: string[], root: string) => unknown;

/** The options of each command, and what it does to the project. */
export type Commands = Record<string, [options: string, play: Play]>;
