/** The lists of what a deploy gives to a project. `docs/deploy.md` prints them. */

export const FUNCTIONS_ACCOUNT = 'decks-functions';

/** The APIs that the deploy enables. */
export const apis: readonly { name: string; reason: string }[] = [
  { name: 'serviceusage.googleapis.com', reason: 'lists and enables the other APIs' },
  { name: 'cloudresourcemanager.googleapis.com', reason: 'reads and changes the roles of the project' },
  { name: 'cloudbilling.googleapis.com', reason: 'tells firebase-tools whether the project may have functions' },
  { name: 'iam.googleapis.com', reason: 'creates the service account of the functions' },
  {
    name: 'iamcredentials.googleapis.com',
    reason: 'signs the addresses of large files: a service account without a key file signs by this API only',
  },
  { name: 'firebase.googleapis.com', reason: 'adds Firebase to the project' },
  { name: 'firebasehosting.googleapis.com', reason: 'serves the site' },
  { name: 'firebaserules.googleapis.com', reason: 'stores the rules of the database and the bucket' },
  { name: 'firebasestorage.googleapis.com', reason: 'creates the default bucket' },
  { name: 'identitytoolkit.googleapis.com', reason: 'Firebase Authentication: the identity of an address' },
  { name: 'firestore.googleapis.com', reason: 'the database' },
  { name: 'storage.googleapis.com', reason: 'the bucket' },
  { name: 'secretmanager.googleapis.com', reason: 'stores SERVICE_SECRET, RESEND_API_KEY and RESEND_WEBHOOK_SECRET' },
  { name: 'cloudfunctions.googleapis.com', reason: 'creates the functions' },
  { name: 'cloudbuild.googleapis.com', reason: 'builds the image of the functions' },
  { name: 'artifactregistry.googleapis.com', reason: 'stores the image' },
  { name: 'run.googleapis.com', reason: 'runs the functions: each is a service of Cloud Run' },
  {
    name: 'compute.googleapis.com',
    reason: 'has the service account that builds the image, and the load balancer of deck origins',
  },
  { name: 'certificatemanager.googleapis.com', reason: 'issues the wildcard certificate of deck origins' },
  { name: 'cloudscheduler.googleapis.com', reason: 'calls the scheduled functions' },
  { name: 'cloudtasks.googleapis.com', reason: 'has the queue of the events that are sent to webhooks' },
  { name: 'eventarc.googleapis.com', reason: 'firebase-tools demands it for functions of the second generation' },
  { name: 'pubsub.googleapis.com', reason: 'firebase-tools demands it for functions of the second generation' },
  { name: 'logging.googleapis.com', reason: 'stores the log, without the addresses of secret links' },
  {
    name: 'monitoring.googleapis.com',
    reason: 'calls the service every five minutes, and tells when it does not answer',
  },
  { name: 'billingbudgets.googleapis.com', reason: 'tells when the project costs more than its budget' },
];

/** Where a role is granted. A role on one resource gives no access to the other resources of the project. */
type Place = 'the project' | 'the bucket' | 'the account itself' | 'the secrets' | 'the services of the jobs';

export interface Role {
  name: string;
  on: Place;
  reason: string;
}

/** Every role of the service account that runs the functions. */
export const roles: readonly Role[] = [
  { name: 'roles/datastore.user', on: 'the project', reason: 'reads and writes documents of Firestore' },
  {
    name: 'roles/firebaseauth.admin',
    on: 'the project',
    reason: 'finds and creates the user of an address: the smallest role of Google that may create users',
  },
  {
    name: 'roles/storage.objectAdmin',
    on: 'the bucket',
    reason: 'reads, writes, copies and deletes the files of decks; it cannot change the bucket',
  },
  {
    name: 'roles/iam.serviceAccountTokenCreator',
    on: 'the account itself',
    reason: 'signs the addresses of files that are too large for an answer of a function',
  },
  {
    name: 'roles/cloudtasks.enqueuer',
    on: 'the project',
    reason: 'makes the tasks that send events to webhooks',
  },
  {
    name: 'roles/iam.serviceAccountUser',
    on: 'the account itself',
    reason: 'the tasks call their function as this account',
  },
  {
    name: 'roles/secretmanager.secretAccessor',
    on: 'the secrets',
    reason: 'reads SERVICE_SECRET, RESEND_API_KEY and RESEND_WEBHOOK_SECRET',
  },
  {
    name: 'roles/run.invoker',
    on: 'the services of the jobs',
    reason:
      'Cloud Scheduler calls the scheduled functions as this account, and Cloud Tasks that of the tasks; all other ' +
      'functions are public',
  },
];

export function rolesOn(place: Place): Role[] {
  return roles.filter(({ on }) => on === place);
}

/**
 * The account that builds the image is the default account of Compute Engine. It has this role, or Editor, in most
 * projects; organizations that switch off automatic grants have neither, and the build fails.
 */
export const BUILDER_ROLE = 'roles/cloudbuild.builds.builder';

/** The secrets of the functions. */
export const secretNames = ['SERVICE_SECRET', 'RESEND_API_KEY', 'RESEND_WEBHOOK_SECRET'] as const;

/** Entries with secret addresses stay out of the log. docs/deploy.md explains why. */
export const logExclusion = {
  name: 'decks-secret-addresses',
  filter:
    'logName:"run.googleapis.com%2Frequests" AND httpRequest.requestUrl:("/_t/" OR "/_f/" OR "/_g/" OR "/s/" OR "/shortLink/" OR "/_open/" OR "/again/" OR "/picture/" OR "token=" OR "grant=" OR "gate=" OR "ticket=" OR "/mail/" OR "/mailPage/" OR "/codes/" OR "/codePage/" OR "/getInvitation/" OR "invitation=")',
};

/** What protects the data and the money of a project. Each has a setting, with which the operator leaves it out. */
export interface Safeguard {
  setting: string;
  /** The value where the settings have none. */
  standard: string;
  /** What a value may be beside `off`. */
  form: RegExp;
  about: string;
  price: string;
}

/** 14 weeks, the longest retention of a backup, are 98 days. A bucket keeps deleted files for at most 90. */
export const safeguards = [
  {
    setting: 'DELETE_PROTECTION',
    standard: 'on',
    form: /^on$/,
    about: 'the database cannot be deleted',
    price: 'nothing: the [price list](https://cloud.google.com/firestore/pricing) does not have it',
  },
  {
    setting: 'PITR',
    standard: 'on',
    form: /^on$/,
    about: 'each minute of the last 7 days can be restored (point-in-time recovery)',
    price:
      'the storage of the database once more: [0.18 a GiB-month](https://github.com/codeforboston/maple/issues/1371) in ' +
      'the multi-region nam5, no free quota',
  },
  {
    setting: 'BACKUP_DAYS',
    standard: '7',
    form: /^([1-9]|[1-8]\d|9[0-8])$/,
    about: 'a daily backup of the database is kept for so many days',
    price:
      '[0.03 a GiB-month](https://github.com/the-blue-alliance/the-blue-alliance/issues/10497) for each backup that is ' +
      'kept, no free quota',
  },
  {
    setting: 'SOFT_DELETE_DAYS',
    standard: '7',
    form: /^([7-9]|[1-8]\d|90)$/,
    about: 'files that were deleted from the bucket can be restored for so many days; then they are gone',
    price:
      'the [storage of deleted files](https://cloud.google.com/storage/docs/soft-delete) until they are gone: at 0.020 a ' +
      'GB-month less than 0.005 for each GB that is deleted, or uploaded',
  },
  {
    setting: 'BUDGET',
    standard: '50',
    form: /^[1-9]\d{0,8}$/,
    about: 'mails tell when the project costs 50 % and 100 % of this a month, in the currency of the billing account',
    price: 'nothing: [budgets](https://cloud.google.com/billing/docs/how-to/budgets) have no price, and stop nothing',
  },
  {
    setting: 'UPTIME_CHECK',
    standard: 'on',
    form: /^on$/,
    about: 'Google calls `getServiceInfo` every 5 minutes from 6 places; a mail tells when it does not answer',
    price:
      'nothing for the check: 52 000 of [1 million free calls](https://cloud.google.com/stackdriver/pricing) a month. As ' +
      'requests of a function they cost 0.15 a month, at 0.1 s of 1 vCPU each. The alert costs 0.35 a month, not before September 2027',
  },
] as const satisfies readonly Safeguard[];
