import { firebase, gcloud, StepFailure } from '../command';
import { DEFAULT_DATABASE, type Deploy } from '../context';
import { findSite } from '../site';
import { apis } from '../tables';
import type { Step } from './step';

/** The API enables at most this many in one call. */
const APIS_AT_ONCE = 20;

export const enableApis: Step = {
  name: 'apis',
  about: 'the APIs of the list below are enabled',
  async run(deploy) {
    const names = apis.map(({ name }) => name);
    const added = await enableMissing(deploy, names);
    return added > 0 ? `${added} of ${names.length} enabled now` : `all ${names.length} enabled`;
  },
};

/** The enabled APIs of the project, read once in a deploy. */
export async function enabledApis(deploy: Deploy, advice?: string): Promise<Set<string>> {
  if (deploy.enabledApis) return deploy.enabledApis;
  const listed = await deploy.look<{ config: { name: string } }[]>(
    gcloud('services', 'list', '--enabled', `--project=${deploy.project}`, '--format=json'),
    [],
    advice,
  );
  return (deploy.enabledApis = new Set(listed.map(({ config }) => config.name)));
}

/** Enables those of the APIs that are not enabled. Answers how many these were. */
export async function enableMissing(deploy: Deploy, names: readonly string[], advice?: string): Promise<number> {
  const enabled = await enabledApis(deploy, advice);
  const missing = names.filter((name) => !enabled.has(name));
  for (let i = 0; i < missing.length; i += APIS_AT_ONCE) {
    const some = missing.slice(i, i + APIS_AT_ONCE);
    await deploy.act(
      gcloud('services', 'enable', ...some, `--project=${deploy.project}`),
      'Your account needs the role Service Usage Admin on the project.',
    );
    for (const name of some) enabled.add(name);
  }
  return missing.length;
}

export const addFirebase: Step = {
  name: 'firebase',
  about: 'Firebase is added to the project, and the project has a default Hosting site',
  async run(deploy) {
    const { project } = deploy;
    const { result: projects } = await deploy.look<{ result: { projectId: string }[] }>(
      firebase('projects:list', '--json'),
      { result: [] },
      'When the Firebase CLI is not logged in, run: firebase login',
    );
    if (!projects.some(({ projectId }) => projectId === project)) {
      await deploy.act(
        firebase('projects:addfirebase', project, '--non-interactive'),
        'The terms of Firebase must be accepted once, at https://console.firebase.google.com. When your account may not add ' +
          `Firebase, an owner runs: firebase projects:addfirebase ${project}`,
      );
    }
    const site = await findSite(deploy);
    if (!site) {
      await deploy.act(
        firebase('hosting:sites:create', project, `--project=${project}`, '--non-interactive'),
        `Open https://console.firebase.google.com/project/${project}/hosting and choose Get started.`,
      );
    }
    const id = site ?? project;
    // The functions expect a site with the name of the project.
    for (const name of ['VIEWER_URL', 'MARKETPLACE_URL']) {
      if (id !== project && !deploy.settings.get(name)) deploy.settings.set(name, `https://${id}.web.app`);
    }
    return `project ${project}, site ${id}`;
  },
};

export const createDatabase: Step = {
  name: 'database',
  about: 'Firestore has the database `(default)`, or that of the setting DATABASE_ID, in native mode',
  async run(deploy) {
    const { project, region, options } = deploy;
    const databases = await deploy.look<{ name: string; type: string; locationId: string }[]>(
      gcloud('firestore', 'databases', 'list', `--project=${project}`, '--format=json'),
      [],
    );
    const { database } = deploy;
    const found = databases.find(({ name }) => name.endsWith(`/databases/${database}`));
    if (found) {
      if (found.type === 'FIRESTORE_NATIVE') return `${database} in ${found.locationId}`;
      throw new StepFailure(
        `The database ${database} of ${project} is in Datastore mode.`,
        'Deploy to another project: the service needs native mode, and a project has one default database.',
      );
    }
    if (database !== DEFAULT_DATABASE && !deploy.isDryRun) {
      const names = databases.map(({ name }) => name.split('/').at(-1)).join(', ');
      throw new StepFailure(
        `The database ${database} of the setting DATABASE_ID does not exist in ${project}.`,
        `The databases of the project: ${names}. Add --set 'DATABASE_ID=<name>', or --restore (docs/operating.md).`,
      );
    }
    const location = options.firestoreLocation ?? region;
    await deploy.act(
      gcloud(
        ...['firestore', 'databases', 'create', '--database=(default)', `--location=${location}`],
        ...['--type=firestore-native', `--project=${project}`],
      ),
      'When the location is refused, choose one of https://cloud.google.com/firestore/docs/locations with ' +
        '--firestore-location. The location of a database cannot be changed later.',
    );
    return `(default) created in ${location}`;
  },
};
