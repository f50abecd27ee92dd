import { firebase, gcloud, StepFailure } from '../command';
import type { Deploy } from '../context';
import { grant } from './account';
import type { Step } from './step';

/** The repository in which Cloud Functions stores its images. */
const REPOSITORY = 'gcf-artifacts';
const KEPT_DAYS = 1;
/** The label with which `firebase functions:artifacts:setpolicy --none` marks the repository. */
const OPT_OUT = 'firebase-functions-cleanup-opted-out';

export const release: Step = {
  name: 'release',
  about: 'rules, indexes, functions and site are deployed; old images are deleted after a day',
  async run(deploy) {
    const { project } = deploy;
    if (!deploy.isDryRun) deploy.around.print('… release: deploying takes minutes');
    await run(deploy, '--only=firestore,storage');
    await releaseFunctions(deploy, '--only=functions,hosting');
    return `functions in ${deploy.region}, site ${project}, rules and indexes`;
  },
};

/**
 * Deploys the functions. Without a cleanup policy firebase-tools ends a non-interactive deploy after the functions and
 * before the site. The policy can be set when the repository exists, which is after the first function. So the first
 * deploy runs with --force, which sets the policy, and which can delete nothing: there is no function yet. Every later
 * deploy sets the policy before, and runs without --force.
 */
export async function releaseFunctions(deploy: Deploy, only: string): Promise<void> {
  const { project, region, options } = deploy;
  const repositories = await deploy.look<{ name: string; cleanupPolicies?: object; labels?: Record<string, string> }[]>(
    gcloud('artifacts', 'repositories', 'list', `--location=${region}`, `--project=${project}`, '--format=json'),
    [],
  );
  const repository = repositories.find(({ name }) => name.endsWith(`/${REPOSITORY}`));
  // An operator may have chosen to keep all images.
  const keepsAll = repository?.labels?.[OPT_OUT] !== undefined;
  if (repository && !keepsAll && Object.keys(repository.cleanupPolicies ?? {}).length === 0) {
    await deploy.act(
      firebase(
        ...['functions:artifacts:setpolicy', `--location=${region}`, `--days=${KEPT_DAYS}`],
        ...[`--project=${project}`, '--force', '--non-interactive'],
      ),
    );
  }
  const { result: functions } = await deploy.look<{ result: unknown[] }>(
    firebase('functions:list', `--project=${project}`, '--json'),
    { result: [] },
  );
  await run(deploy, only, ...(functions.length === 0 || options.deleteRemoved ? ['--force'] : []));
}

const QUOTA = /quota|maxScale may not exceed/i;

async function run(deploy: Deploy, ...args: string[]): Promise<void> {
  try {
    await deploy.act(
      firebase('deploy', ...args, `--project=${deploy.project}`, '--non-interactive'),
      'The functions that were deployed stay. Functions that the code does not have any more stop a deploy: delete ' +
        'them with the printed commands, or add --delete-removed.',
    );
  } catch (error) {
    if (!(error instanceof StepFailure) || !QUOTA.test(error.message)) throw error;
    throw new StepFailure(
      error.message,
      'README.md, "When a quota is too small", says what the refusal means and how to get a larger quota.',
    );
  }
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
