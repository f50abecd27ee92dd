import {
  codebaseOf,
  findServices,
  forEachAtOnce,
  isReady,
  onService,
  pinnedRevision,
  regionOf,
  releaseOf,
  type Revision,
  type Service,
} from '../cloud-run';
import { gcloud, StepFailure } from '../command';
import type { Deploy } from '../context';
import { expectData } from '../service';
import { findReleases, messageOf, serveVersion, type SiteRelease } from '../site';
import { codebase, KEPT_DAYS } from './functions';
import type { Step } from './step';

export const rollBack: Step = {
  name: 'rollback',
  about: 'the functions and the site serve the release before',
  async run(deploy) {
    if (deploy.isDryRun) {
      throw new StepFailure('A dry run is for an empty project, which has no release to go back to.');
    }
    const releases = await findReleases(deploy);
    const found = await findFunctions(deploy);
    const isCutOff = hasCutOffDeploy(found, releases);
    const target = isCutOff ? releases[0] : releaseBefore(releases);
    if (!target) {
      throw new StepFailure(
        'The project has no earlier release of this deploy.',
        'Check out the commit of the earlier version, and deploy it.',
      );
    }
    const { count, stay } = await routeTo(deploy, found, target.release);
    // The site is last: its message says which release serves, and a rollback that was cut off begins again. A deploy
    // that was cut off did not change it.
    if (!isCutOff) await serveVersion(deploy, target.version, messageOf(target.release, true));
    const { version } = await expectData<{ version: string }>(
      deploy.around,
      `${deploy.baseUrl}/getServiceInfo`,
      'The earlier release',
    );
    const newer = stay.length > 0 ? `; newer than that release, and unchanged: ${stay.join(', ')}` : '';
    return `${count} functions and the site serve release ${target.release}, version ${version}${newer}`;
  },
};

/** The release before the one that serves. `releases` has the newest first. */
export function releaseBefore(releases: readonly SiteRelease[]): SiteRelease | undefined {
  const serving = releases[0]?.release;
  // In front of it stand the releases from which a rollback went back.
  const deployed = releases.findIndex(({ release, isRollback }) => release === serving && !isRollback);
  return releases.slice(deployed + 1).find(({ release }) => release !== serving);
}

interface Functions {
  services: Service[];
  revisions: Revision[];
}

async function findFunctions(deploy: Deploy): Promise<Functions> {
  const { project, region } = deploy;
  const own = codebase(deploy);
  const services = (await findServices(deploy)).filter((each) => codebaseOf(each) === own && regionOf(each) === region);
  const revisions = await deploy.look<Revision[]>(
    gcloud('run', 'revisions', 'list', `--region=${region}`, `--project=${project}`, '--format=json'),
    [],
  );
  return { services, revisions };
}

/**
 * Whether functions of the newest release serve a later one whose site was never released. A rollback that was cut off
 * leaves releases only that the site names. A function that only the later release has stays, and does not count.
 */
function hasCutOffDeploy({ services, revisions }: Functions, releases: readonly SiteRelease[]): boolean {
  const [newest] = releases;
  const named = new Set(releases.map(({ release }) => release));
  return services.some((service) => {
    const serving = pinnedRevision(service) ?? service.status?.latestReadyRevisionName;
    const revision = revisions.find(({ metadata }) => metadata.name === serving);
    const release = revision && releaseOf(revision);
    const isOfNewest = newest && newestOf(service, revisions, newest.release) !== undefined;
    return isOfNewest && release !== undefined && !named.has(release);
  });
}

/** Sends the requests of every function to its newest revision of the release. */
async function routeTo(
  deploy: Deploy,
  { services, revisions }: Functions,
  release: string,
): Promise<{ count: number; stay: string[] }> {
  const routes = services.map((service) => ({ service, revision: newestOf(service, revisions, release) }));
  const found = routes.flatMap(({ service, revision }) => (revision === undefined ? [] : [{ service, revision }]));
  if (found.length === 0) {
    throw new StepFailure(
      `Cloud Run has no revisions of release ${release} any more.`,
      `Their images are deleted after ${KEPT_DAYS} days. Check out the commit of the earlier version, and deploy it.`,
    );
  }
  await forEachAtOnce(found, async ({ service, revision }) => {
    if (pinnedRevision(service) === revision) return;
    const route = `--to-revisions=${revision}=100`;
    await deploy.act(
      onService(deploy, service.metadata.name, 'update-traffic', route),
      'Run the command again: it continues. When the image of a revision was deleted, check out the commit of the ' +
        'earlier version, and deploy it.',
    );
  });
  const stay = routes.flatMap(({ service, revision }) => (revision === undefined ? [service.metadata.name] : []));
  return { count: found.length, stay };
}

function newestOf({ metadata }: Service, revisions: readonly Revision[], release: string): string | undefined {
  return revisions
    .filter(
      (each) =>
        each.metadata.labels?.['serving.knative.dev/service'] === metadata.name &&
        releaseOf(each) === release &&
        isReady(each),
    )
    .toSorted((a, b) => (a.metadata.creationTimestamp < b.metadata.creationTimestamp ? 1 : -1))[0]?.metadata.name;
}
