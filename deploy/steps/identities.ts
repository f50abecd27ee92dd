import type { Deploy } from '../context';
import type { Step } from './step';

const API = 'https://identitytoolkit.googleapis.com';

const NEEDED = { signIn: { email: { enabled: true } } };
/** The service creates users itself. Visitors who find the project's web key must not create any. */
const CLOSED = { client: { permissions: { disabledUserSignup: true } } };

interface Configuration {
  signIn?: Partial<Record<'email' | 'phoneNumber' | 'anonymous', { enabled?: boolean }>>;
  client?: { permissions?: { disabledUserSignup?: boolean } };
}

export const initializeAuthentication: Step = {
  name: 'authentication',
  about: 'Firebase Authentication is initialised: users by address, created by the service only',
  async run(deploy) {
    const { project } = deploy;
    const config = `${API}/admin/v2/projects/${project}/config`;
    const advice = `Open https://console.firebase.google.com/project/${project}/authentication and choose Get started.`;
    const { status, body } = await deploy.call({ method: 'GET', url: config, project }, false);
    if (status === 404) {
      // https://cloud.google.com/identity-platform/docs/reference/rest/v2/projects.identityPlatform/initializeAuth
      const url = `${API}/v2/projects/${project}/identityPlatform:initializeAuth`;
      await deploy.call({ method: 'POST', url, body: {}, project }, true, advice);
    }
    const { signIn, client } = (body ?? {}) as Configuration;
    const isClosed = client?.permissions?.disabledUserSignup ?? false;
    const closes = !isClosed && (status === 404 || (await isUnused(deploy, config, signIn ?? {})));
    if (closes || !signIn?.email?.enabled) {
      const fields = ['signIn.email.enabled', ...(closes ? ['client.permissions.disabledUserSignup'] : [])];
      const url = `${config}?updateMask=${fields.join()}`;
      await deploy.call({ method: 'PATCH', url, body: { ...NEEDED, ...(closes && CLOSED) }, project }, true, advice);
    }
    if (isClosed || closes) return 'users by address, created by the service only';
    // Another app of the project may need it.
    return 'users by address; visitors may create users too, as the project was set before';
  },
};

/**
 * Whether nobody can sign in yet and nobody has signed up: so is a project whose deploy was cut off directly after it
 * initialised Authentication. Another app of the project that creates users does not look so.
 */
async function isUnused(
  deploy: Deploy,
  config: string,
  signIn: NonNullable<Configuration['signIn']>,
): Promise<boolean> {
  if (Object.values(signIn).some((each) => each.enabled)) return false;
  const { project } = deploy;
  // https://cloud.google.com/identity-platform/docs/reference/rest/v2/projects.defaultSupportedIdpConfigs/list
  const providers = `${config.replace(/config$/, 'defaultSupportedIdpConfigs')}?pageSize=1`;
  const { body: found } = await deploy.call({ method: 'GET', url: providers, project }, false);
  if ((found as { defaultSupportedIdpConfigs?: unknown[] }).defaultSupportedIdpConfigs?.length) return false;
  // https://cloud.google.com/identity-platform/docs/reference/rest/v1/projects.accounts/batchGet
  const users = `${API}/v1/projects/${project}/accounts:batchGet?maxResults=1`;
  const { body: listed } = await deploy.call({ method: 'GET', url: users, project }, false);
  return !(listed as { users?: unknown[] }).users?.length;
}
