import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { DEFAULT_CPU_QUOTA } from '../../functions/src/values/cpu-quota';
import type { Endpoint } from '../built';
import { withCleanUp } from '../clean-up';
import { codebaseOf, findServices, functionOf, isReleased, regionOf, routeToNewest } from '../cloud-run';
import { appendLine, firebase, gcloud, StepFailure } from '../command';
import { RELEASE_ID, type Deploy } from '../context';
import { groupsOf } from '../groups';
import { Settings } from '../settings';
import { findReleases } from '../site';
import { secretVersions } from './secrets';

/** The repository in which Cloud Functions stores its images. */
const REPOSITORY = 'gcf-artifacts';
/**
 * How long the images of old revisions stay. Cloud Run keeps a copy of an image only while the revision serves
 * (https://docs.cloud.google.com/run/docs/deploying), so that a rollback needs the image.
 */
export const KEPT_DAYS = 30;
/** The label with which `firebase functions:artifacts:setpolicy --none` marks the repository. */
const OPT_OUT = 'firebase-functions-cleanup-opted-out';

/** What a refused deploy of functions prints. */
const NO_POLICY = /could not set up cleanup policy/;
const FAILED = /had errors with the following functions:((?:\n *\t\S+)*)/;
const NOT_PUBLIC = /Unable to set the invoker for the IAM policy on the following functions:((?:\n *\t\S+)*)/;
const TOO_MANY = /quota|RESOURCE_EXHAUSTED|\b429\b|Too Many Requests|rate limit/i;
const TOO_LARGE = /maxScale may not exceed/i;
/**
 * The pauses before a group is tried again, in pauses of the surroundings: 15 minutes in all with pauses of 10 seconds.
 * An idle instance of an earlier revision counts for the quota up to 15 minutes
 * (https://docs.cloud.google.com/run/docs/about-instance-autoscaling).
 */
const RETRY_PAUSES = [3, 6, 12, 24, 48];

interface Config {
  functions: { codebase: string }[];
  hosting: { rewrites: { function?: { functionId: string } }[] };
}

/** What one deploy of the functions works with. */
interface Plan {
  endpoints: readonly Endpoint[];
  codebase: string;
  pages: ReadonlySet<string>;
  release: string;
}

/**
 * Deploys the functions that differ from the project, in groups. Answers the id of the release, and how many functions
 * were deployed. Throws StepFailure for functions that the code does not have any more, unless they may be deleted.
 */
export async function releaseFunctions(
  deploy: Deploy,
  { isFirst = false } = {},
): Promise<{ release: string; deployed: number; of: number }> {
  const plan = await planOf(deploy);
  const { endpoints, release } = plan;
  const removed = await findRemoved(deploy);
  if (removed.length > 0 && !deploy.options.deleteRemoved) {
    throw new StepFailure(
      `The code does not have these functions any more:\n${listed(removed)}`,
      'To delete them, add --delete-removed.',
    );
  }
  await keepImages(deploy);
  const missing = await findMissing(deploy, plan);
  const line = Settings.line(RELEASE_ID, release);
  if (deploy.isDryRun) deploy.around.print(appendLine(line, `functions/.env.${deploy.project}`));
  else deploy.settings.set(RELEASE_ID, release);
  // Only this deploy may name the release: `firebase deploy` alone deploys something else.
  const forget = () => deploy.isDryRun || deploy.settings.delete(RELEASE_ID);
  await withCleanUp(forget, async () => {
    let done = endpoints.length - missing.length;
    const quota = Number(deploy.setting('CPU_QUOTA') ?? DEFAULT_CPU_QUOTA);
    for (const group of groupsOf(missing, { all: endpoints, pages: plan.pages, quota })) {
      await deployGroup(deploy, plan, group, removed.length > 0);
      // An empty project has no repository of images, so that the deploy of the first functions ends with the error.
      if (deploy.isDryRun && isFirst && done === 0) await setPolicy(deploy);
      done += group.length;
      if (!deploy.isDryRun) deploy.around.print(`… ${done} of ${endpoints.length} functions`);
    }
  });
  await routeToNewest(deploy);
  return { release, deployed: missing.length, of: endpoints.length };
}

const configOf = ({ around }: Deploy) => JSON.parse(readFileSync(join(around.root, 'firebase.json'), 'utf8')) as Config;

/** What firebase.json calls the functions of the service. Other apps of the project have other codebases. */
export const codebase = (deploy: Deploy) => configOf(deploy).functions[0]!.codebase;

async function planOf(deploy: Deploy): Promise<Plan> {
  const { endpoints, hash } = await deploy.built();
  const config = configOf(deploy);
  const pages = config.hosting.rewrites.flatMap((each) => each.function?.functionId ?? []);
  const parts = [hash, deploy.settingsOfFunctions(), await secretVersions(deploy)];
  return {
    endpoints,
    codebase: config.functions[0]!.codebase,
    pages: new Set([...pages, 'getSharedPresentation', 'deckSite']),
    release: createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 12),
  };
}

/**
 * The functions that do not run this release. firebase-tools skips unchanged functions by the label
 * `firebase-functions-hash`, but not those that `--only` names (its src/deploy/functions/release/planner.ts). A job is
 * deployed until the release is complete: its revision does not tell whether its schedule was written.
 */
async function findMissing(deploy: Deploy, { endpoints, release }: Plan): Promise<readonly Endpoint[]> {
  if (deploy.isDryRun) return endpoints;
  const current = await runningOf(deploy, release);
  if (current.size === 0) return endpoints;
  const [last] = await findReleases(deploy);
  const isComplete = last?.release === release;
  return endpoints.filter(({ name, kind }) => !current.has(name) || (kind !== 'public' && !isComplete));
}

/** The names of the functions that run this release. */
async function runningOf(deploy: Deploy, release: string): Promise<Set<string>> {
  const services = (await findServices(deploy)).filter((each) => regionOf(each) === deploy.region);
  return new Set(services.filter((each) => isReleased(each, release)).map(functionOf));
}

/** Deploys functions, and those again that were refused because too many were deployed at once. */
async function deployGroup(deploy: Deploy, plan: Plan, group: readonly Endpoint[], hasRemoved: boolean): Promise<void> {
  let left = group;
  for (const pauses of [...RETRY_PAUSES, undefined]) {
    const error = await tryGroup(deploy, plan, left, hasRemoved);
    if (!error) return;
    if (NO_POLICY.test(error.message)) await setPolicy(deploy);
    else if (!FAILED.test(error.message)) throw error;
    left = await failedOf(deploy, plan, left, error.message);
    if (left.length === 0) return;
    if (pauses === undefined || !TOO_MANY.test(error.message) || TOO_LARGE.test(error.message)) throw error;
    const ms = pauses * deploy.around.pauseMs;
    const again = `trying them again in ${Math.round(ms / 1000)} s`;
    deploy.around.print(`… ${left.length} functions were refused, because too many start at once: ${again}`);
    await pause(ms);
  }
}

async function tryGroup(
  deploy: Deploy,
  { codebase }: Plan,
  group: readonly Endpoint[],
  hasRemoved: boolean,
): Promise<StepFailure | undefined> {
  const only = group.map(({ name }) => `functions:${codebase}:${name}`).join();
  // With names in `--only`, the option deletes functions of these names in other regions, which the code does not have
  // any more. It also allows instances that always run, whose price firebase-tools asks about.
  const force = hasRemoved || group.some(({ minInstances }) => minInstances > 0) ? ['--force'] : [];
  try {
    await runFirebase(deploy, `--only=${only}`, ...force);
  } catch (error) {
    if (error instanceof StepFailure) return error;
    throw error;
  }
  return undefined;
}

/**
 * The functions of the group that were not deployed. Where an organization refuses to make functions public, they are
 * deployed, and the step `public` does the rest.
 */
async function failedOf(
  deploy: Deploy,
  { codebase, release }: Plan,
  group: readonly Endpoint[],
  told: string,
): Promise<readonly Endpoint[]> {
  const named = (pattern: RegExp) =>
    (pattern.exec(told)?.[1] ?? '')
      .split('\n')
      .map((line) => line.trim().replace(`${codebase}:`, '').replace(/\(.*/, ''));
  const notPublic = new Set(named(NOT_PUBLIC));
  const failed = new Set(named(FAILED).filter((name) => !notPublic.has(name)));
  const current = await runningOf(deploy, release);
  return group.filter(({ name }) => failed.has(name) || !current.has(name));
}

interface Removed {
  name: string;
  region: string;
}

/** The functions of the service that the code does not have, or not in this region. */
async function findRemoved(deploy: Deploy): Promise<Removed[]> {
  const { endpoints } = await deploy.built();
  const own = codebase(deploy);
  const services = await findServices(deploy);
  return services
    .filter((each) => codebaseOf(each) === own)
    .map((each) => ({ name: functionOf(each), region: regionOf(each) ?? '' }))
    .filter((each) => !endpoints.some(({ name, region }) => name === each.name && region === each.region));
}

const listed = (removed: readonly Removed[]) => removed.map(({ name, region }) => `\t${name}(${region})`).join('\n');

/**
 * A deploy of named functions deletes none of other names, so that the deploy deletes them itself, as the last thing:
 * the site before calls them until the new one is released.
 */
export async function deleteRemoved(deploy: Deploy): Promise<void> {
  const removed = await findRemoved(deploy);
  if (removed.length === 0) return;
  deploy.around.print(`! These functions are deleted, which the code does not have any more:\n${listed(removed)}`);
  for (const region of new Set(removed.map((each) => each.region))) {
    const names = removed.filter((each) => each.region === region).map(({ name }) => `${codebase(deploy)}:${name}`);
    await deploy.act(
      firebase(
        ...['functions:delete', ...names, `--region=${region}`],
        ...[`--project=${deploy.project}`, '--force', '--non-interactive'],
      ),
      'Update firebase-tools when it finds no functions: an older version cannot delete by codebase.',
    );
  }
}

/**
 * firebase-tools ends a non-interactive deploy with an error, after the functions are deployed, when the repository of
 * the images has no cleanup policy. The policy can be set when the repository exists, which is after the first function
 * of the region. So an existing repository gets the policy before the deploy, and a new one after that error.
 */
async function keepImages(deploy: Deploy): Promise<void> {
  const { project, region } = deploy;
  const repositories = await deploy.look<{ name: string; cleanupPolicies?: object; labels?: Record<string, string> }[]>(
    gcloud('artifacts', 'repositories', 'list', `--location=${region}`, `--project=${project}`, '--format=json'),
    [],
  );
  const repository = repositories.find(({ name }) => name.endsWith(`/${REPOSITORY}`));
  // An operator may have chosen to keep all images.
  const keepsAll = repository?.labels?.[OPT_OUT] !== undefined;
  if (repository && !keepsAll && Object.keys(repository.cleanupPolicies ?? {}).length === 0) await setPolicy(deploy);
}

async function setPolicy(deploy: Deploy): Promise<void> {
  await deploy.act(
    firebase(
      ...['functions:artifacts:setpolicy', `--location=${deploy.region}`, `--days=${KEPT_DAYS}`],
      ...[`--project=${deploy.project}`, '--force', '--non-interactive'],
    ),
  );
}

/** Deploys a part with firebase-tools. */
export async function runFirebase(deploy: Deploy, ...args: string[]): Promise<void> {
  await deploy.act(firebase('deploy', ...args, `--project=${deploy.project}`, '--non-interactive'), (output) =>
    TOO_MANY.test(output) || TOO_LARGE.test(output)
      ? 'docs/operating.md, "When a quota is too small", says what the refusal means and how to get a larger quota.'
      : 'The functions that were deployed stay.',
  );
}
