const all = (prefix: string, verbs: string) => verbs.split(' ').map((verb) => `${prefix}.${verb}`);

const COUNTED = 'serviceusage.services.use';
/** What firebase-tools needs for every command of a project, and to see that an API is enabled. */
const tool = ['firebase.projects.get', 'serviceusage.services.get'];

/** The targets of `firebase deploy`, as TARGET_PERMISSIONS of firebase-tools and the services that it calls demand. */
const targets: Record<string, readonly string[]> = {
  firestore: [
    ...all('datastore.indexes', 'list create update delete'),
    ...all('firebaserules.releases', 'create update'),
    'firebaserules.rulesets.create',
  ],
  storage: [...all('firebaserules.releases', 'create update'), 'firebaserules.rulesets.create'],
  hosting: ['firebasehosting.sites.update'],
  functions: [
    ...all('cloudfunctions.functions', 'list get create update delete setIamPolicy'),
    'cloudfunctions.operations.get',
    'iam.serviceAccounts.actAs',
    // It makes the services of functions public.
    ...all('run.services', 'getIamPolicy setIamPolicy'),
    ...all('cloudscheduler.jobs', 'get create update'),
    ...all('cloudtasks.queues', 'get create update'),
  ],
};

/**
 * A change of a service, as gcloud makes it: it reads the service, replaces it, and waits for the operation. A service
 * runs as an account that the caller must be allowed to use
 * (https://docs.cloud.google.com/run/docs/configuring/services/service-identity).
 */
const changeOfService = [...all('run.services', 'get update'), 'run.operations.get', 'iam.serviceAccounts.actAs'];

const kindsOfNetwork: Record<string, string> = {
  'certificate-manager dns-authorizations': 'certificatemanager.dnsauthorizations',
  'certificate-manager certificates': 'certificatemanager.certs',
  'certificate-manager maps': 'certificatemanager.certmaps',
  'certificate-manager maps entries': 'certificatemanager.certmapentries',
  'compute network-endpoint-groups': 'compute.regionNetworkEndpointGroups',
  'compute backend-services': 'compute.backendServices',
  'compute url-maps': 'compute.urlMaps',
  'compute target-https-proxies': 'compute.targetHttpsProxies',
  'compute addresses': 'compute.globalAddresses',
  'compute forwarding-rules': 'compute.globalForwardingRules',
};
/** The kinds of resources, by the words of their commands. Their verbs need the permissions of the same names. */
const kinds: Record<string, string> = {
  ...kindsOfNetwork,
  projects: 'resourcemanager.projects',
  'artifacts repositories': 'artifactregistry.repositories',
  'firestore backups': 'datastore.backups',
  'firestore backups schedules': 'datastore.backupSchedules',
  'firestore databases': 'datastore.databases',
  'firestore indexes composite': 'datastore.indexes',
  'firestore indexes fields': 'datastore.indexes',
  'firestore operations': 'datastore.operations',
  functions: 'cloudfunctions.functions',
  'iam service-accounts': 'iam.serviceAccounts',
  'logging sinks': 'logging.sinks',
  'run revisions': 'run.revisions',
  'run services': 'run.services',
  'scheduler jobs': 'cloudscheduler.jobs',
  secrets: 'secretmanager.secrets',
  'secrets versions': 'secretmanager.versions',
  services: 'serviceusage.services',
  'storage buckets': 'storage.buckets',
};
const permissionsOfVerb: Record<string, string> = {
  list: 'list',
  create: 'create',
  update: 'update',
  delete: 'delete',
  enable: 'enable',
  describe: 'get',
  'get-iam-policy': 'getIamPolicy',
  'add-iam-policy-binding': 'getIamPolicy setIamPolicy',
};

/** The permissions on the project that each command needs in Google's cloud. A budget needs those of its account. */
const commands: Record<string, readonly string[]> = {
  ...Object.fromEntries(
    Object.entries(kinds).flatMap(([kind, prefix]) =>
      Object.entries(permissionsOfVerb).map(([verb, names]) => [`gcloud ${kind} ${verb}`, all(prefix, names)]),
    ),
  ),
  ...Object.fromEntries(
    Object.entries(kindsOfNetwork).map(([kind, prefix]) => [`gcloud ${kind} describe`, all(prefix, 'list')]),
  ),
  'gcloud compute backend-services add-backend': ['compute.backendServices.update'],
  'gcloud compute backend-services remove-backend': ['compute.backendServices.update'],
  'gcloud version': [],
  'gcloud auth list': [],
  'gcloud auth print-access-token': [],
  'gcloud billing projects describe': ['resourcemanager.projects.get'],
  'gcloud billing budgets list': [],
  'gcloud billing budgets create': [],
  'gcloud billing budgets update': [],
  'gcloud firestore databases restore': ['datastore.backups.restoreDatabase'],
  'gcloud storage buckets update': all('storage.buckets', 'get update'),
  'gcloud logging sinks update': all('logging.sinks', 'get update'),
  'firebase --version': [],
  'firebase projects:list': ['firebase.projects.get'],
  'firebase projects:addfirebase': ['firebase.projects.update'],
  'firebase hosting:sites:list': ['firebase.projects.get', ...all('firebasehosting.sites', 'get list')],
  'firebase hosting:sites:create': ['firebase.projects.get', 'firebasehosting.sites.update'],
  'gcloud run services update-traffic': changeOfService,
  'firebase functions:list': ['firebase.projects.get', 'cloudfunctions.functions.list', 'run.services.list'],
  'firebase functions:delete': [
    'firebase.projects.get',
    ...all('cloudfunctions.functions', 'list delete'),
    'cloudfunctions.operations.get',
    // The job of a scheduled function
    // (https://docs.cloud.google.com/scheduler/docs/reference/rest/v1/projects.locations.jobs/delete).
    'cloudscheduler.jobs.delete',
  ],
  'firebase functions:secrets:set': [
    ...tool,
    ...all('secretmanager.secrets', 'create get update'),
    'secretmanager.versions.add',
  ],
  'firebase functions:artifacts:setpolicy': [
    'firebase.projects.get',
    'artifactregistry.repositories.update',
    'artifactregistry.versions.delete',
  ],
  'firebase firestore:databases:clone': ['firebase.projects.get', 'datastore.databases.clone'],
};

/** The permissions of REST calls, by the form of the call. */
const calls: [RegExp, readonly string[]][] = [
  [/^POST \/cloudresourcemanager\..*:testIamPermissions$/, []],
  [/^GET \/firebasestorage\./, ['firebasestorage.defaultBucket.get']],
  [/^POST \/firebasestorage\./, ['firebasestorage.defaultBucket.create']],
  [/^GET \/firebaserules\..*\/releases/, ['firebaserules.releases.list']],
  [/^GET \/firebaserules\..*\/rulesets\//, ['firebaserules.rulesets.get']],
  [/^GET \/firebasehosting\..*\/sites$/, ['firebasehosting.sites.list']],
  [/^GET \/firebasehosting\..*\/releases/, ['firebasehosting.sites.get']],
  [/^POST \/firebasehosting\..*\/releases\?/, ['firebasehosting.sites.update']],
  [/^GET \/run\..*:getIamPolicy$/, ['run.services.getIamPolicy']],
  [/^GET \/identitytoolkit\..*accounts:batchGet/, ['firebaseauth.users.get']],
  [/^GET \/identitytoolkit\./, ['firebaseauth.configs.get']],
  [/^POST \/identitytoolkit\./, ['firebaseauth.configs.create']],
  [/^PATCH \/identitytoolkit\./, ['firebaseauth.configs.update']],
];
const verbs: Record<string, string> = { GET: 'list', POST: 'create', PATCH: 'update', DELETE: 'delete' };

/** The permissions that a call needs. Undefined for a call whose permissions are not known. */
export function permissionsOf(name: string, line: string): readonly string[] | undefined {
  if (name === 'firebase deploy') {
    const [, only = ''] = /--only=(\S+)/.exec(line) ?? [];
    return [...tool, ...only.split(',').flatMap((each) => targets[each.split(':')[0]!] ?? [])];
  }
  if (name === 'gcloud run services update') {
    return line.includes('--no-invoker-iam-check')
      ? // https://docs.cloud.google.com/run/docs/authenticating/public
        [...changeOfService, ...all('run.services', 'create setIamPolicy')]
      : // gcloud looks up the image of the newest revision, and Cloud Run reads it
        // (https://docs.cloud.google.com/run/docs/deploying).
        [...changeOfService, ...all('run.revisions', 'get list'), 'artifactregistry.repositories.downloadArtifacts'];
  }
  const [, method = '', kind] = /^(\w+) \/monitoring\.[^/]+\/v3\/projects\/[^/]+\/(\w+)/.exec(line) ?? [];
  const found = kind
    ? [`monitoring.${kind}.${verbs[method]}`]
    : (commands[name] ?? calls.find(([form]) => form.test(line))?.[1]);
  // A call with the header x-goog-user-project counts for the project.
  return found && /^(GET|POST|PATCH|DELETE) |--billing-project=/.test(line) ? [COUNTED, ...found] : found;
}
