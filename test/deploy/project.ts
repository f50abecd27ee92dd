import { Monitoring } from './monitoring';
import { Network } from './network';
import { need } from './refused';

export const PROJECT = 'decks-test-1';
export const NUMBER = '4711';
/** The account that builds the image of the functions. */
export const BUILDER = `serviceAccount:${NUMBER}-compute@developer.gserviceaccount.com`;
export const BILLING_ACCOUNT = 'billingAccounts/01D-02E';
export const BUCKET = `gs://${PROJECT}.firebasestorage.app`;

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
}

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
  /** The settings of the deployed functions. */
  environment: Record<string, string> = {};
  backups: { name: string; database: string; snapshotTime: string; state: string }[] = [];
  /** How many looks find a database that is being restored, and the error with which the restore ends. */
  restoring = 0;
  restoreFails: string | undefined;
  /** What fails when functions are created, beside what was deployed. */
  failsToCreate: string | undefined;
  isSiteReleased = false;
  /** How many role bindings fail because a new account is not known everywhere yet. */
  propagating = 0;
  /** How many calls of the REST APIs fail because a new API is not known everywhere yet. */
  unknownApis = 0;
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
      otherFunctions: this.otherFunctions,
      isSiteReleased: this.isSiteReleased,
      apis: [...this.apis].sort(),
      accounts: [...this.accounts],
      policies: Object.fromEntries([...this.policies].sort(([a], [b]) => (a < b ? -1 : 1))),
      network: Object.fromEntries([...this.network.resources].filter(([, all]) => all.length > 0)),
      secrets: [...this.secretVersions].map(([name, versions]) => [name, versions.length]).sort(),
    });
  }

  policy(resource: string): Policy {
    const found = this.policies.get(resource) ?? { bindings: [] };
    this.policies.set(resource, found);
    return found;
  }

  bind(resource: string, role: string, member: string): void {
    const account = member.replace('serviceAccount:', '');
    const isKnown = this.accounts.has(account) || (member === BUILDER && this.apis.has('compute.googleapis.com'));
    const unknown = resource === PROJECT ? `Service account ${account} does not exist.` : 'Unknown service account';
    need(isKnown && this.propagating-- <= 0, `INVALID_ARGUMENT: ${unknown}`);
    const { bindings } = this.policy(resource);
    const found = bindings.find((each) => each.role === role);
    if (found) found.members = [...new Set([...found.members, member])];
    else bindings.push({ role, members: [member] });
  }
}
