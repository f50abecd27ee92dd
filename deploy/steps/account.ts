import { gcloud, StepFailure, type Command } from '../command';
import type { Deploy } from '../context';
import { BUILDER_ROLE, FUNCTIONS_ACCOUNT, rolesOn, secretNames } from '../tables';
import { findBucket } from './bucket';
import type { Step } from './step';

export interface Policy {
  bindings?: { role: string; members?: string[]; condition?: unknown }[];
}

export const ROLES_ADVICE = 'docs/deploy.md lists the roles of the account that deploys.';

export const createAccount: Step = {
  name: 'account',
  about: 'the functions have a service account with the roles of the list below, and the image can be built',
  async run(deploy) {
    const { project, account, ownAccount } = deploy;
    const accounts = await deploy.look<{ email: string }[]>(
      gcloud('iam', 'service-accounts', 'list', `--project=${project}`, '--format=json'),
      [],
    );
    if (!deploy.isDryRun && account !== ownAccount && !accounts.some(({ email }) => email === account)) {
      throw new StepFailure(
        `The service account ${account} of the setting SERVICE_ACCOUNT does not exist in ${project}.`,
        `Create it, or delete the line SERVICE_ACCOUNT of functions/.env.${project} to run as ${ownAccount}.`,
      );
    }
    if (account === ownAccount && !accounts.some(({ email }) => email === account)) {
      await deploy.act(
        gcloud(
          ...['iam', 'service-accounts', 'create', FUNCTIONS_ACCOUNT, '--display-name=Decks functions'],
          `--project=${project}`,
        ),
        ROLES_ADVICE,
      );
    }
    const member = `serviceAccount:${account}`;
    const policy = await deploy.look<Policy>(gcloud('projects', 'get-iam-policy', project, '--format=json'), {});
    const bind = (role: string, who: string) =>
      deploy.act(
        gcloud(
          ...['projects', 'add-iam-policy-binding', project, `--member=${who}`, `--role=${role}`],
          ...['--condition=None', '--format=none'],
        ),
        ROLES_ADVICE,
      );
    for (const { name } of rolesOn('the project')) if (!has(policy, name, member)) await bind(name, member);

    const { projectNumber = `$(gcloud projects describe ${project} --format='value(projectNumber)')` } =
      await deploy.look<{ projectNumber?: string }>(gcloud('projects', 'describe', project, '--format=json'), {});
    const builder = `serviceAccount:${projectNumber}-compute@developer.gserviceaccount.com`;
    if (!has(policy, BUILDER_ROLE, builder) && !has(policy, 'roles/editor', builder)) await bind(BUILDER_ROLE, builder);

    if (!deploy.isDryRun) await findBucket(deploy);
    const on = `--project=${project}`;
    await grant(deploy, 'the bucket', ['storage', 'buckets'], `gs://${deploy.bucket}`, [on]);
    await grant(deploy, 'the account itself', ['iam', 'service-accounts'], account, [on]);
    return account;
  },
};

/** Grants the account the roles of a place on one resource, where it does not have them. */
export async function grant(
  deploy: Deploy,
  place: Parameters<typeof rolesOn>[0],
  group: readonly string[],
  resource: string,
  where: readonly string[],
): Promise<void> {
  const member = `serviceAccount:${deploy.account}`;
  const look: Command = gcloud(...group, 'get-iam-policy', resource, ...where, '--format=json');
  const policy = await deploy.look<Policy>(look, {});
  // Without the option gcloud asks when the policy has a binding with a condition. Cloud Run has no conditions.
  const condition = group[0] === 'run' ? [] : ['--condition=None'];
  for (const { name } of rolesOn(place)) {
    if (has(policy, name, member)) continue;
    await deploy.act(
      gcloud(
        ...group,
        'add-iam-policy-binding',
        resource,
        `--member=${member}`,
        `--role=${name}`,
        ...condition,
        ...where,
        '--format=none',
      ),
      ROLES_ADVICE,
    );
  }
}

export const has = ({ bindings = [] }: Policy, role: string, member: string) =>
  bindings.some((each) => each.role === role && !each.condition && each.members?.includes(member));

/** The secrets exist before the account gets access to them. */
export async function grantSecrets(deploy: Deploy): Promise<void> {
  for (const name of secretNames) {
    await grant(deploy, 'the secrets', ['secrets'], name, [`--project=${deploy.project}`]);
  }
}
