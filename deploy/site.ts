import { firebase } from './command';
import type { Deploy } from './context';

export const HOSTING_API = 'https://firebasehosting.googleapis.com/v1beta1';

/** A release of the site. Its message names the release of the functions to which it belongs. */
export interface SiteRelease {
  /** The files and the configuration, which another release can serve again. */
  version: string;
  release: string;
  isRollback: boolean;
}

const MESSAGE = /^(back to )?release ([0-9a-f]{12})$/;
export const messageOf = (release: string, isRollback = false) => `${isRollback ? 'back to ' : ''}release ${release}`;

/** The releases that this deploy made, the newest first. */
export async function findReleases(deploy: Deploy): Promise<SiteRelease[]> {
  const { project } = deploy;
  // https://firebase.google.com/docs/reference/hosting/rest/v1beta1/sites.releases/list
  const url = `${HOSTING_API}/sites/${(await findSite(deploy)) ?? project}/releases?pageSize=100`;
  const { body } = await deploy.call({ method: 'GET', url, project }, false);
  const { releases = [] } = (body ?? {}) as { releases?: { message?: string; version?: { name: string } }[] };
  return releases.flatMap(({ message = '', version }) => {
    const [, back, release] = MESSAGE.exec(message) ?? [];
    return release !== undefined && version ? [{ version: version.name, release, isRollback: back !== undefined }] : [];
  });
}

/** Serves the files of a version from now on, as a part of a release. */
export async function serveVersion(deploy: Deploy, version: string, message: string): Promise<void> {
  const { project } = deploy;
  // https://firebase.google.com/docs/reference/hosting/rest/v1beta1/sites.releases/create
  const url = `${HOSTING_API}/sites/${(await findSite(deploy)) ?? project}/releases?versionName=${version}`;
  await deploy.call({ method: 'POST', url, body: { message }, project }, true);
}

/** The name of the default site of the project, or of the site with the name of the project. */
export async function findSite(deploy: Deploy): Promise<string | undefined> {
  const { project } = deploy;
  const { result } = await deploy.look<{ result: { sites: { name: string; type?: string }[] } }>(
    firebase('hosting:sites:list', `--project=${project}`, '--json'),
    { result: { sites: [] } },
  );
  const sites = result.sites.map(({ name, type }) => ({ id: name.split('/').at(-1)!, type }));
  return (sites.find(({ type }) => type === 'DEFAULT_SITE') ?? sites.find(({ id }) => id === project))?.id;
}
