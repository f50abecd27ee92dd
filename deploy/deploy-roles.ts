/** A role of the account that deploys. */
interface DeployRole {
  name: string;
  reason: string;
  /** The permissions of the role that the commands of the deploy need, as far as they are documented. */
  permissions: readonly string[];
  /** A part of the deploy that not every deploy has. */
  onlyFor?: 'a new Firebase project' | 'origins of decks';
}

const all = (prefix: string, verbs: string) => verbs.split(' ').map((verb) => `${prefix}.${verb}`);

/**
 * The roles that a deploy needs in place of Owner. Sources: the permissions that firebase-tools checks itself
 * (requirePermissions in its commands, TARGET_PERMISSIONS of `deploy`), the calls that gcloud makes
 * (api_lib/run/serverless_operations.py of its SDK), the REST references of Google, and the index of roles and
 * permissions, https://cloud.google.com/iam/docs/roles-permissions.
 */
export const deployRoles: readonly DeployRole[] = [
  {
    name: 'roles/serviceusage.serviceUsageAdmin',
    reason: 'lists and enables the APIs, and calls them at the cost of the project',
    permissions: all('serviceusage.services', 'list get enable use'),
  },
  {
    name: 'roles/resourcemanager.projectIamAdmin',
    reason: 'grants the account of the functions, and that which builds their image, the roles of the project',
    permissions: all('resourcemanager.projects', 'get getIamPolicy setIamPolicy'),
  },
  {
    name: 'roles/iam.serviceAccountAdmin',
    reason: 'creates the account of the functions, and lets it sign addresses',
    permissions: all('iam.serviceAccounts', 'list create getIamPolicy setIamPolicy'),
  },
  {
    name: 'roles/iam.serviceAccountUser',
    reason: 'lets the functions run as their account',
    permissions: ['iam.serviceAccounts.actAs'],
  },
  {
    name: 'roles/datastore.owner',
    reason: 'creates, protects and restores the database, its indexes and its backups',
    permissions: [
      ...all('datastore.databases', 'list create update clone'),
      ...all('datastore.indexes', 'list create update delete'),
      ...all('datastore.backupSchedules', 'list create update'),
      ...all('datastore.backups', 'list restoreDatabase'),
      'datastore.operations.list',
    ],
  },
  {
    name: 'roles/firebasestorage.admin',
    reason: 'creates and finds the default bucket',
    permissions: all('firebasestorage.defaultBucket', 'get create'),
  },
  {
    name: 'roles/storage.admin',
    reason: 'sets up the bucket, and grants its role',
    permissions: all('storage.buckets', 'get update getIamPolicy setIamPolicy'),
  },
  {
    name: 'roles/firebaserules.admin',
    reason: 'reads the rules of another app, and releases those of the database and the bucket',
    permissions: [
      ...all('firebaserules.releases', 'list create update'),
      ...all('firebaserules.rulesets', 'get create'),
    ],
  },
  {
    name: 'roles/firebasehosting.admin',
    reason: 'creates and releases the site; firebase-tools finds the project with it',
    permissions: ['firebase.projects.get', ...all('firebasehosting.sites', 'get list update')],
  },
  {
    name: 'roles/firebaseauth.admin',
    reason: 'initialises Authentication',
    permissions: [...all('firebaseauth.configs', 'get create update'), 'firebaseauth.users.get'],
  },
  {
    name: 'roles/cloudfunctions.admin',
    reason: 'deploys the functions',
    permissions: [
      ...all('cloudfunctions.functions', 'list get create update delete setIamPolicy'),
      'cloudfunctions.operations.get',
    ],
  },
  {
    name: 'roles/run.admin',
    reason:
      'makes the functions public, speeds up their starts, goes back to a release, and lets Cloud Scheduler call the ' +
      'scheduled functions',
    permissions: [
      ...all('run.services', 'list get create update getIamPolicy setIamPolicy'),
      ...all('run.revisions', 'list get'),
      'run.operations.get',
    ],
  },
  {
    name: 'roles/cloudscheduler.admin',
    reason: 'creates and deletes the jobs that call the scheduled functions',
    permissions: all('cloudscheduler.jobs', 'list get create update delete'),
  },
  {
    name: 'roles/cloudtasks.queueAdmin',
    reason: 'creates the queue of the tasks that send events to webhooks',
    permissions: all('cloudtasks.queues', 'get create update'),
  },
  {
    name: 'roles/artifactregistry.admin',
    reason: 'deletes old images of the functions, and reads those of new revisions',
    permissions: [
      ...all('artifactregistry.repositories', 'list update downloadArtifacts'),
      'artifactregistry.versions.delete',
    ],
  },
  {
    name: 'roles/secretmanager.admin',
    reason: 'sets the secrets, and lets the functions read them; this role can read them, too',
    permissions: [
      ...all('secretmanager.secrets', 'list create get update getIamPolicy setIamPolicy'),
      ...all('secretmanager.versions', 'list add'),
    ],
  },
  {
    name: 'roles/logging.configWriter',
    reason: 'keeps secret addresses out of the log',
    permissions: all('logging.sinks', 'get update'),
  },
  {
    name: 'roles/monitoring.editor',
    reason: 'creates the uptime check and its alert',
    permissions: [
      ...all('monitoring.notificationChannels', 'list create'),
      ...all('monitoring.uptimeCheckConfigs', 'list create delete'),
      ...all('monitoring.alertPolicies', 'list create update'),
    ],
  },
  {
    name: 'roles/firebase.admin',
    reason:
      'adds Firebase to the project, once; an owner can do that instead: `firebase projects:addfirebase <project>`',
    permissions: ['firebase.projects.update'],
    onlyFor: 'a new Firebase project',
  },
  {
    name: 'roles/compute.loadBalancerAdmin',
    reason: 'creates and deletes the load balancer',
    permissions: [
      ...all('compute.regionNetworkEndpointGroups', 'list create delete'),
      ...all('compute.backendServices', 'list create update delete'),
      ...all('compute.urlMaps', 'list create delete'),
      ...all('compute.targetHttpsProxies', 'list create delete'),
      ...all('compute.globalAddresses', 'list create delete'),
      ...all('compute.globalForwardingRules', 'list create delete'),
    ],
    onlyFor: 'origins of decks',
  },
  {
    name: 'roles/certificatemanager.owner',
    reason: 'creates and deletes the certificate',
    permissions: ['dnsauthorizations', 'certs', 'certmaps', 'certmapentries'].flatMap((kind) =>
      all(`certificatemanager.${kind}`, 'list create delete'),
    ),
    onlyFor: 'origins of decks',
  },
];
