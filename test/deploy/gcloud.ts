import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { networkCommands } from './network';
import { BILLING_ACCOUNT, BUCKET, NUMBER, PROJECT, type Commands, type Play, type Project } from './project';
import { safetyCommands, softDelete } from './safety-cloud';
import { need } from './refused';

const LIST = 'project format';

/** Resources with roles: the options of both commands beside those for roles, and whether the resource exists. */
const guarded: [group: string, options: string, exists: (project: Project, resource: string) => boolean][] = [
  ['projects', '', (_, name) => name === PROJECT],
  ['iam service-accounts', 'project', ({ accounts }, name) => accounts.has(name)],
  ['storage buckets', 'project', ({ bucket }, name) => bucket !== undefined && name === BUCKET],
  ['secrets', 'project', ({ secretVersions }, name) => secretVersions.has(name)],
  ['run services', 'region project', ({ services }, name) => services.all.some(({ id }) => id.toLowerCase() === name)],
];

const roleCommands: Commands = Object.fromEntries(
  guarded.flatMap(([group, options, exists]) => {
    const policyOf = (project: Project, name: string) => {
      need(exists(project, name), `NOT_FOUND: ${name}`);
      return project.policy(name);
    };
    const add: Play = (project, option, [name = '']) => {
      const isConditional = policyOf(project, name).bindings.some(({ condition }) => condition !== undefined);
      const problem = 'Adding a binding without specifying a condition to a policy containing conditions is prohibited';
      need(option['condition'] === 'None' || !isConditional, problem);
      return project.bind(name, option['role']!, option['member']!);
    };
    // Cloud Run has no conditions.
    const condition = group === 'run services' ? '' : 'condition';
    return [
      [`${group} get-iam-policy`, [`${options} format`, (project, _, [name = '']) => policyOf(project, name)]],
      [`${group} add-iam-policy-binding`, [`member role ${condition} ${options} format`, add]],
    ] satisfies [string, [string, Play]][];
  }),
);

const networks: Commands = Object.fromEntries(
  Object.entries(networkCommands).map(([name, options]) => [
    name,
    [options, ({ network }, option, [resource = '']) => network.run(name, resource, option)],
  ]),
);

/** Every command that the deploy may run: its options in gcloud 528, and what it does to the project. */
export const gcloudCommands: Commands = {
  ...roleCommands,
  ...networks,
  ...safetyCommands,
  version: ['format', () => ({ 'Google Cloud SDK': '528.0.0' })],
  'auth list': ['filter format', ({ isLoggedIn, deployer }) => (isLoggedIn ? [{ account: deployer }] : [])],
  'projects describe': [
    'format',
    (_project, _option, [name]) => {
      need(name === PROJECT, 'you do not have permission to access this project');
      return { projectId: PROJECT, projectNumber: NUMBER };
    },
  ],
  'billing projects describe': [
    'format',
    ({ hasBilling }) => ({ billingEnabled: hasBilling, billingAccountName: BILLING_ACCOUNT }),
  ],
  'services list': ['enabled project format', ({ apis }) => [...apis].map((name) => ({ config: { name } }))],
  'services enable': [
    'project',
    ({ apis }, _option, names) => {
      need(names.length <= 20, 'at most 20 services');
      for (const name of names) apis.add(name);
    },
  ],
  'firestore databases list': [LIST, ({ databases }) => databases],
  'firestore databases create': [
    'database location type project',
    ({ databases }, { database, location }) => {
      need(databases.length === 0, 'ALREADY_EXISTS');
      const name = `projects/${PROJECT}/databases/${database}`;
      databases.push({ name, type: 'FIRESTORE_NATIVE', locationId: location! });
    },
  ],
  'firestore indexes composite list': [
    'database project format',
    (project) => {
      need(project.databases.length > 0, 'NOT_FOUND');
      return [{ state: project.buildingIndexes-- > 0 ? 'CREATING' : 'READY' }, { state: 'READY' }];
    },
  ],
  'firestore indexes fields list': [
    'database project format',
    (project) => [
      {
        indexConfig: { indexes: [{ state: 'READY' }, { state: project.buildingFields-- > 0 ? 'CREATING' : 'READY' }] },
      },
      // Without an index, and with a TTL policy only.
      { indexConfig: {} },
      {},
    ],
  ],
  'iam service-accounts list': [LIST, ({ accounts }) => [...accounts].map((email) => ({ email }))],
  'iam service-accounts create': [
    'display-name project',
    ({ accounts }, _option, [name]) => void accounts.add(`${name}@${PROJECT}.iam.gserviceaccount.com`),
  ],
  'storage buckets describe': ['raw project format', ({ bucket }) => existing(bucket)],
  'storage buckets update': [
    'cors-file lifecycle-file soft-delete-duration project',
    ({ bucket }, option, _words, root) => {
      const found = existing(bucket);
      const read = (file: string) => JSON.parse(readFileSync(resolve(root, file), 'utf8')) as unknown;
      if (option['cors-file']) found.cors = read(option['cors-file']);
      if (option['lifecycle-file']) found.lifecycle = read(option['lifecycle-file']);
      if (option['soft-delete-duration']) found.softDeletePolicy = softDelete(option['soft-delete-duration']);
    },
  ],
  'secrets list': [
    LIST,
    ({ secretVersions }) => [...secretVersions.keys()].map((name) => ({ name: `projects/${NUMBER}/secrets/${name}` })),
  ],
  'secrets versions list': [
    LIST,
    ({ secretVersions, disabledSecrets }, _option, [secret = '']) =>
      (secretVersions.get(secret) ?? []).map((_, i) => ({
        name: `projects/${NUMBER}/secrets/${secret}/versions/${i + 1}`,
        state: disabledSecrets.has(secret) ? 'DISABLED' : 'ENABLED',
      })),
  ],
  'logging sinks describe': [LIST, ({ exclusions }) => ({ name: '_Default', exclusions })],
  'logging sinks update': [
    'add-exclusion update-exclusion project',
    (project, option) => {
      const written = option['add-exclusion'] ?? option['update-exclusion'] ?? '';
      const [, name = '', filter = ''] = /^name=([\w.-]+),filter=(.+?)(?:,disabled=false)?$/.exec(written) ?? [];
      project.exclusions = [...project.exclusions.filter((each) => each.name !== name), { name, filter }];
    },
  ],
  'artifacts repositories list': [
    'location project format',
    ({ functionsIn, repositoryLabels: labels, hasCleanupPolicy }, { location }) =>
      functionsIn === location
        ? [{ name: 'x/repositories/gcf-artifacts', labels, cleanupPolicies: hasCleanupPolicy ? { days: {} } : {} }]
        : [],
  ],
  'scheduler jobs list': [
    'location project format',
    ({ functions, functionsIn, source }) =>
      functions
        .filter((each) => source.some(({ name, kind }) => name === each && kind === 'job'))
        .map((each) => ({ name: `x/jobs/firebase-schedule-${each}-${functionsIn}` })),
  ],
  'run services list': [LIST, ({ services }) => services.list()],
  'run revisions list': ['region project format', ({ services }, { region }) => services.listRevisions(region!)],
  'run services update': [
    'region cpu-boost no-invoker-iam-check project',
    (project, option, [name = '']) => {
      const isRefused = 'no-invoker-iam-check' in option && !project.allowsNoCheck;
      need(!isRefused, 'FAILED_PRECONDITION: Constraint constraints/run.managed.requireInvokerIam violated.');
      project.services.update(project.services.named(name, option['region']), option);
    },
  ],
  'run services update-traffic': [
    'region to-latest to-revisions project',
    ({ services }, option, [name = '']) => {
      const service = services.named(name, option['region']);
      const [revision] = option['to-revisions']?.split('=') ?? [];
      const exists = service.revisions.some((each) => each.name === revision && each.isReady);
      need(exists || 'to-latest' in option, `NOT_FOUND: revision ${revision}`);
      service.pinned = revision;
    },
  ],
  'functions describe': [
    'region project format',
    ({ functions, functionsIn }, { region }, [name = '']) => {
      need(functions.includes(name) && functionsIn === region, `NOT_FOUND: ${name}`);
      const id = name.toLowerCase();
      const service = `projects/${PROJECT}/locations/${functionsIn}/services/${id}`;
      return { serviceConfig: { service, uri: `https://${id}-x-uc.a.run.app` } };
    },
  ],
};

function existing<T>(resource: T | undefined): T {
  need(resource !== undefined, 'NOT_FOUND');
  return resource;
}

/** The API that must be enabled before a command works, by its first word. */
export const apiOf: Record<string, string> = {
  billing: 'cloudbilling.googleapis.com',
  firestore: 'firestore.googleapis.com',
  iam: 'iam.googleapis.com',
  secrets: 'secretmanager.googleapis.com',
  'functions:secrets:set': 'secretmanager.googleapis.com',
  logging: 'logging.googleapis.com',
  artifacts: 'artifactregistry.googleapis.com',
  run: 'run.googleapis.com',
  scheduler: 'cloudscheduler.googleapis.com',
  functions: 'cloudfunctions.googleapis.com',
  compute: 'compute.googleapis.com',
  'certificate-manager': 'certificatemanager.googleapis.com',
  'functions:list': 'cloudfunctions.googleapis.com',
  'hosting:sites:list': 'firebasehosting.googleapis.com',
};
