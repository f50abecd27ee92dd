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
  { name: 'secretmanager.googleapis.com', reason: 'stores SERVICE_SECRET and RESEND_API_KEY' },
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
  { name: 'eventarc.googleapis.com', reason: 'firebase-tools demands it for functions of the second generation' },
  { name: 'pubsub.googleapis.com', reason: 'firebase-tools demands it for functions of the second generation' },
  { name: 'logging.googleapis.com', reason: 'stores the log, without the addresses of secret links' },
];

/** Where a role is granted. A role on one resource gives no access to the other resources of the project. */
type Place = 'the project' | 'the bucket' | 'the account itself' | 'the two secrets' | 'the services of the jobs';

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
    name: 'roles/secretmanager.secretAccessor',
    on: 'the two secrets',
    reason: 'reads SERVICE_SECRET and RESEND_API_KEY',
  },
  {
    name: 'roles/run.invoker',
    on: 'the services of the jobs',
    reason: 'Cloud Scheduler calls the scheduled functions as this account; all other functions are public',
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
export const secretNames = ['SERVICE_SECRET', 'RESEND_API_KEY'] as const;

/** Entries with secret addresses stay out of the log. docs/deploy.md explains why. */
export const logExclusion = {
  name: 'decks-secret-addresses',
  filter:
    'logName:"run.googleapis.com%2Frequests" AND httpRequest.requestUrl:("/_t/" OR "/_f/" OR "/_open/" OR "token=" OR "/mail/" OR "/codes/")',
};
