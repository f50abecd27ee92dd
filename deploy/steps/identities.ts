import type { Step } from './step';

const API = 'https://identitytoolkit.googleapis.com';

/** The service creates users itself. Visitors who find the project's web key must not create any. */
const CONFIGURATION = { signIn: { email: { enabled: true } }, client: { permissions: { disabledUserSignup: true } } };

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
    const { signIn, client } = (body ?? {}) as {
      signIn?: { email?: { enabled?: boolean } };
      client?: { permissions?: { disabledUserSignup?: boolean } };
    };
    if (!signIn?.email?.enabled) {
      const url = `${config}?updateMask=signIn.email.enabled,client.permissions.disabledUserSignup`;
      await deploy.call({ method: 'PATCH', url, body: CONFIGURATION, project }, true, advice);
    } else if (!client?.permissions?.disabledUserSignup) {
      // Another app of the project may need it.
      return 'users by address; visitors may create users too, as the project was set before';
    }
    return 'users by address, created by the service only';
  },
};
