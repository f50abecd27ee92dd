import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { firebase, gcloud, StepFailure } from '../command';
import { DEFAULT_DATABASE, type Deploy } from '../context';
import { grant } from './account';
import type { Step } from './step';

/** The repository in which Cloud Functions stores its images. */
const REPOSITORY = 'gcf-artifacts';
const KEPT_DAYS = 1;
/** The label with which `firebase functions:artifacts:setpolicy --none` marks the repository. */
const OPT_OUT = 'firebase-functions-cleanup-opted-out';
/** How often the state of the indexes is read, with a pause of 10 seconds between two looks: 30 minutes. */
const INDEX_LOOKS = 180;

export const release: Step = {
  name: 'release',
  about: 'rules, indexes, functions and site are deployed; old images are deleted after a day',
  async run(deploy) {
    const { project } = deploy;
    if (!deploy.isDryRun) deploy.around.print('… release: deploying takes minutes');
    await releaseRules(deploy);
    await awaitIndexes(deploy);
    await releaseFunctions(deploy);
    // An empty project has no repository, so that the deploy of the functions ends with the error.
    if (deploy.isDryRun) await setPolicy(deploy);
    await run(deploy, '--only=hosting');
    return `functions in ${deploy.region}, site ${project}, rules and indexes`;
  },
};

/** firebase.json with another database. It stands beside firebase.json, because firebase-tools reads paths from there. */
const OTHER_CONFIGURATION = 'firebase.database.json';

/** firebase.json names no database, so that firebase-tools takes `(default)`. */
async function releaseRules(deploy: Deploy): Promise<void> {
  const { database, around } = deploy;
  if (database === DEFAULT_DATABASE) return run(deploy, '--only=firestore,storage');
  const configuration = JSON.parse(readFileSync(join(around.root, 'firebase.json'), 'utf8')) as { firestore: object };
  const other = { ...configuration, firestore: { database, ...configuration.firestore } };
  const file = join(around.root, OTHER_CONFIGURATION);
  if (deploy.isDryRun) around.print(`# ${OTHER_CONFIGURATION}: firebase.json with the database ${database}`);
  else writeFileSync(file, JSON.stringify(other));
  try {
    await run(deploy, '--only=firestore,storage', `--config=${OTHER_CONFIGURATION}`);
  } finally {
    rmSync(file, { force: true });
  }
}

/** Waits until all indexes are built: the queries of new functions fail without them. */
async function awaitIndexes(deploy: Deploy): Promise<void> {
  const look = gcloud(
    ...['firestore', 'indexes', 'composite', 'list', `--database=${deploy.database}`],
    ...[`--project=${deploy.project}`, '--format=json'],
  );
  for (let left = INDEX_LOOKS; ; left--) {
    const building = (await deploy.look<{ state: string }[]>(look, [])).filter(({ state }) => state === 'CREATING');
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

const NO_POLICY = /could not set up cleanup policy/;
const HAS_ERRORS = /deploy had errors/;
const REMOVED = /found in your project but do not exist in your local source code:\n([^]*?)\n\s*\n/;

/**
 * Deploys the functions. firebase-tools ends a non-interactive deploy with an error, after the functions are deployed,
 * when the repository of the images has no cleanup policy. The policy can be set when the repository exists, which is
 * after the first function of the region. So an existing repository gets the policy before the deploy, and a new one
 * after that error. The option --force sets the policy too, but it also deletes functions: it is used only for
 * --delete-removed, after the list of these functions was printed.
 */
export async function releaseFunctions(deploy: Deploy): Promise<void> {
  const { project, region, options } = deploy;
  const repositories = await deploy.look<{ name: string; cleanupPolicies?: object; labels?: Record<string, string> }[]>(
    gcloud('artifacts', 'repositories', 'list', `--location=${region}`, `--project=${project}`, '--format=json'),
    [],
  );
  const repository = repositories.find(({ name }) => name.endsWith(`/${REPOSITORY}`));
  // An operator may have chosen to keep all images.
  const keepsAll = repository?.labels?.[OPT_OUT] !== undefined;
  if (repository && !keepsAll && Object.keys(repository.cleanupPolicies ?? {}).length === 0) await setPolicy(deploy);
  try {
    await run(deploy, '--only=functions');
  } catch (error) {
    if (!(error instanceof StepFailure)) throw error;
    const removed = REMOVED.exec(error.message)?.[1];
    if (removed !== undefined && options.deleteRemoved) {
      deploy.around.print(`! These functions are deleted, which the code does not have any more:\n${removed}`);
      await run(deploy, '--only=functions', '--force');
    } else if (NO_POLICY.test(error.message)) {
      await setPolicy(deploy);
      if (HAS_ERRORS.test(error.message)) throw error;
    } else throw error;
  }
}

async function setPolicy(deploy: Deploy): Promise<void> {
  await deploy.act(
    firebase(
      ...['functions:artifacts:setpolicy', `--location=${deploy.region}`, `--days=${KEPT_DAYS}`],
      ...[`--project=${deploy.project}`, '--force', '--non-interactive'],
    ),
  );
}

const QUOTA = /quota|maxScale may not exceed/i;

async function run(deploy: Deploy, ...args: string[]): Promise<void> {
  try {
    await deploy.act(firebase('deploy', ...args, `--project=${deploy.project}`, '--non-interactive'));
  } catch (error) {
    if (!(error instanceof StepFailure)) throw error;
    throw new StepFailure(error.message, adviceFor(error.message));
  }
}

function adviceFor(message: string): string {
  const [, removed] = REMOVED.exec(message) ?? [];
  if (removed !== undefined) {
    return `The code does not have these functions any more:\n${removed}\nTo delete them, add --delete-removed.`;
  }
  return QUOTA.test(message)
    ? 'docs/operating.md, "When a quota is too small", says what the refusal means and how to get a larger quota.'
    : 'The functions that were deployed stay.';
}

export const allowJobs: Step = {
  name: 'jobs',
  about: 'Cloud Scheduler may call the scheduled functions as the account',
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
    for (const name of names) {
      const where = [`--region=${region}`, `--project=${project}`];
      await grant(deploy, 'the services of the jobs', ['run', 'services'], name.toLowerCase(), where);
    }
    return `${names.length} scheduled functions`;
  },
};
