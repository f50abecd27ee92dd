import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { withCleanUp } from '../clean-up';
import { gcloud, StepFailure } from '../command';
import { DEFAULT_DATABASE, type Deploy } from '../context';
import { findReleases, messageOf, serveVersion } from '../site';
import { grant } from './account';
import { boost } from './boost';
import { deleteRemoved, KEPT_DAYS, releaseFunctions, runFirebase } from './functions';
import { makePublic } from './public';
import type { Step } from './step';

/** How often the state of the indexes is read, with a pause of 10 seconds between two looks: 30 minutes. */
const INDEX_LOOKS = 180;

export const release: Step = {
  name: 'release',
  about: `rules, indexes, functions and site are deployed; images of functions are deleted after ${KEPT_DAYS} days`,
  async run(deploy) {
    const { project } = deploy;
    if (!deploy.isDryRun) deploy.around.print('… release: deploying takes minutes');
    await releaseRules(deploy);
    await awaitIndexes(deploy);
    const { release: id, deployed, of } = await releaseFunctions(deploy, { isFirst: true });
    await runFirebase(deploy, '--only=hosting', `--message=${messageOf(id)}`);
    await deleteRemoved(deploy);
    return `${id}: ${deployed} of ${of} functions in ${deploy.region}, site, rules and indexes of ${project}`;
  },
};

/**
 * firebase.json with another database. It stands beside firebase.json, because firebase-tools reads paths from there.
 */
const OTHER_CONFIGURATION = 'firebase.database.json';

/** firebase.json names no database, so that firebase-tools takes `(default)`. */
async function releaseRules(deploy: Deploy): Promise<void> {
  const { database, around } = deploy;
  if (database === DEFAULT_DATABASE) return runFirebase(deploy, '--only=firestore,storage');
  const configuration = JSON.parse(readFileSync(join(around.root, 'firebase.json'), 'utf8')) as { firestore: object };
  const other = { ...configuration, firestore: { database, ...configuration.firestore } };
  const file = join(around.root, OTHER_CONFIGURATION);
  if (deploy.isDryRun) around.print(`# ${OTHER_CONFIGURATION}: firebase.json with the database ${database}`);
  else writeFileSync(file, JSON.stringify(other));
  await withCleanUp(
    () => rmSync(file, { force: true }),
    () => runFirebase(deploy, '--only=firestore,storage', `--config=${OTHER_CONFIGURATION}`),
  );
}

/** Waits until all indexes are built: the queries of new functions fail without them. */
async function awaitIndexes(deploy: Deploy): Promise<void> {
  for (let left = INDEX_LOOKS; ; left--) {
    const building = (await findIndexes(deploy)).filter(({ state }) => state === 'CREATING');
    if (building.length === 0) return;
    if (left <= 1) {
      throw new StepFailure(
        `${building.length} indexes of the database are still being built.`,
        'The functions of the earlier deploy still run. A large database needs hours: look at ' +
          `https://console.firebase.google.com/project/${deploy.project}/firestore/indexes, and continue with --from release.`,
      );
    }
    if (left === INDEX_LOOKS) deploy.around.print(`… waiting until ${building.length} indexes are built`);
    await pause(deploy.around.pauseMs);
  }
}

interface Index {
  state?: string;
}

/** The composite indexes, and those of single fields that differ from the default. */
async function findIndexes(deploy: Deploy): Promise<Index[]> {
  const list = (kind: string) =>
    gcloud(
      ...['firestore', 'indexes', kind, 'list', `--database=${deploy.database}`],
      ...[`--project=${deploy.project}`, '--format=json'],
    );
  const composite = await deploy.look<Index[]>(list('composite'), []);
  const fields = await deploy.look<{ indexConfig?: { indexes?: Index[] } }[]>(list('fields'), []);
  return [...composite, ...fields.flatMap(({ indexConfig }) => indexConfig?.indexes ?? [])];
}

/** Deploys the functions again, with a setting that a check of the deployed ones changed. */
export async function releaseAgain(deploy: Deploy): Promise<void> {
  const { release: id } = await releaseFunctions(deploy);
  await makePublic(deploy);
  await boost(deploy);
  const releases = await findReleases(deploy);
  const [last] = deploy.isDryRun ? [{ version: `sites/${deploy.project}/versions/VERSION`, release: '' }] : releases;
  // A rollback to this release finds it by the message of the site.
  if (last && last.release !== id) await serveVersion(deploy, last.version, messageOf(id));
}

export const allowJobs: Step = {
  name: 'jobs',
  about: 'Cloud Scheduler and Cloud Tasks may call their functions as the account',
  async run(deploy) {
    const { project, region } = deploy;
    const jobs = await deploy.look<{ name: string }[]>(
      gcloud('scheduler', 'jobs', 'list', `--location=${region}`, `--project=${project}`, '--format=json'),
      [],
    );
    // firebase-tools names the job of a scheduled function firebase-schedule-<function>-<region>. firebase-tools grants
    // the role when it creates the function, and not when the account of an existing function changes.
    const names = jobs.flatMap(({ name }) => {
      const id = name.split('/').at(-1)!;
      return id.startsWith('firebase-schedule-') && id.endsWith(`-${region}`)
        ? [id.slice('firebase-schedule-'.length, -region.length - 1)]
        : [];
    });
    const tasks = (await deploy.built()).endpoints.flatMap(({ name, kind }) => (kind === 'task' ? [name] : []));
    for (const name of [...names, ...tasks]) {
      const where = [`--region=${region}`, `--project=${project}`];
      await grant(deploy, 'the services of the jobs', ['run', 'services'], name.toLowerCase(), where);
    }
    return `${names.length} scheduled functions, ${tasks.length} of tasks`;
  },
};
