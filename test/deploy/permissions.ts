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

const list = (prefix: string) => [`${prefix}.list`];
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
const policies: Record<string, string> = {
  projects: 'resourcemanager.projects',
  'iam service-accounts': 'iam.serviceAccounts',
  'storage buckets': 'storage.buckets',
  secrets: 'secretmanager.secrets',
  'run services': 'run.services',
};

/** The permissions on the project that each command needs in Google's cloud. A budget needs those of its account. */
const commands: Record<string, readonly string[]> = {
  ...Object.fromEntries(
    Object.entries(kindsOfNetwork).flatMap(([kind, prefix]) => [
      ...['list', 'create', 'delete'].map((verb) => [`gcloud ${kind} ${verb}`, [`${prefix}.${verb}`]]),
      [`gcloud ${kind} describe`, list(prefix)],
    ]),
  ),
  ...Object.fromEntries(
    Object.entries(policies).flatMap(([group, prefix]) => [
      [`gcloud ${group} get-iam-policy`, [`${prefix}.getIamPolicy`]],
      [`gcloud ${group} add-iam-policy-binding`, all(prefix, 'getIamPolicy setIamPolicy')],
    ]),
  ),
  'gcloud compute backend-services add-backend': ['compute.backendServices.update'],
  'gcloud compute backend-services remove-backend': ['compute.backendServices.update'],
  'gcloud version': [],
  'gcloud auth list': [],
  'gcloud auth print-access-token': [],
  'gcloud projects describe': ['resourcemanager.projects.get'],
  'gcloud billing projects describe': ['resourcemanager.projects.get'],
  'gcloud billing budgets list': [],
  'gcloud billing budgets create': [],
  'gcloud billing budgets update': [],
  'gcloud services list': list('serviceusage.services'),
  'gcloud services enable': ['serviceusage.services.enable'],
  'gcloud firestore databases list': list('datastore.databases'),
  'gcloud firestore databases create': ['datastore.databases.create'],
  'gcloud firestore databases update': ['datastore.databases.update'],
  'gcloud firestore databases restore': ['datastore.backups.restoreDatabase'],
  'gcloud firestore backups list': list('datastore.backups'),
  'gcloud firestore backups schedules list': list('datastore.backupSchedules'),
  'gcloud firestore backups schedules create': ['datastore.backupSchedules.create'],
  'gcloud firestore backups schedules update': ['datastore.backupSchedules.update'],
  'gcloud firestore operations list': list('datastore.operations'),
  'gcloud firestore indexes composite list': list('datastore.indexes'),
  'gcloud iam service-accounts list': list('iam.serviceAccounts'),
  'gcloud iam service-accounts create': ['iam.serviceAccounts.create'],
  'gcloud storage buckets describe': ['storage.buckets.get'],
  'gcloud storage buckets update': all('storage.buckets', 'get update'),
  'gcloud secrets list': list('secretmanager.secrets'),
  'gcloud secrets versions list': list('secretmanager.versions'),
  'gcloud logging sinks describe': ['logging.sinks.get'],
  'gcloud logging sinks update': all('logging.sinks', 'get update'),
  'gcloud artifacts repositories list': list('artifactregistry.repositories'),
  'gcloud scheduler jobs list': list('cloudscheduler.jobs'),
  'gcloud functions describe': ['cloudfunctions.functions.get'],
  'firebase --version': [],
  'firebase projects:list': ['firebase.projects.get'],
  'firebase projects:addfirebase': ['firebase.projects.update'],
  'firebase hosting:sites:list': ['firebase.projects.get', ...all('firebasehosting.sites', 'get list')],
  'firebase hosting:sites:create': ['firebase.projects.get', 'firebasehosting.sites.update'],
  'gcloud run services list': list('run.services'),
  'gcloud run services update-traffic': changeOfService,
  'gcloud run revisions list': list('run.revisions'),
  'firebase functions:list': ['firebase.projects.get', 'cloudfunctions.functions.list', 'run.services.list'],
  'firebase functions:delete': [
    'firebase.projects.get',
    ...all('cloudfunctions.functions', 'list delete'),
    'cloudfunctions.operations.get',
    // The job of a scheduled function (https://docs.cloud.google.com/scheduler/docs/reference/rest/v1/projects.locations.jobs/delete).
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
  [/^GET \/firebaserules\..*\/releases/, list('firebaserules.releases')],
  [/^GET \/firebaserules\..*\/rulesets\//, ['firebaserules.rulesets.get']],
  [/^GET \/firebasehosting\..*\/sites$/, list('firebasehosting.sites')],
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
