import { StepFailure } from './command';
import type { Deploy } from './context';
import { deployRoles } from './deploy-roles';

/** Permissions in one call. The documentation of the call has no limit; other lists of Google end at 100. */
const AT_ONCE = 100;
const ADVICE =
  'The account needs the role Service Usage Admin (roles/serviceusage.serviceUsageAdmin) first. docs/deploy.md lists all roles.';

/**
 * Asks which permissions of the list the account has on the project, before the first change. Throws StepFailure with
 * the commands that grant what is missing. Roles that the account has on a single resource do not count here.
 * https://cloud.google.com/resource-manager/reference/rest/v1/projects/testIamPermissions
 */
export async function checkRights(deploy: Deploy, account: string): Promise<string> {
  const { project, options } = deploy;
  // A rollback needs few of the rights, and must not wait for the others.
  if (options.rollback) return 'rights not checked';
  const hasOrigins = options.deckOrigin !== undefined;
  const roles = deployRoles.filter(({ onlyFor }) => !onlyFor || (onlyFor === 'origins of decks' && hasOrigins));
  const granted = await grantedOf(
    deploy,
    roles.flatMap((role) => role.permissions),
  );
  if (!granted) return 'rights not checked';
  const lacking = roles
    .map((role) => ({ ...role, missing: role.permissions.filter((each) => !granted.has(each)) }))
    .filter(({ missing }) => missing.length > 0);
  if (lacking.length === 0) return 'all rights';
  const kind = account.endsWith('.gserviceaccount.com') ? 'serviceAccount' : 'user';
  throw new StepFailure(
    `The account ${account} may not do all that a deploy does in ${project}. It lacks:\n` +
      lacking.map(({ missing, reason }) => `- ${missing.join(', ')} (${reason})`).join('\n'),
    'An owner of the project runs:\n' +
      lacking.map(({ name }) => grantLine(project, `${kind}:${account}`, name)).join('\n') +
      '\nA new role works after a minute or two. --from preflight goes on without this check.',
  );
}

/** Those of the permissions that the account has; undefined where Google does not know one of them. */
async function grantedOf(deploy: Deploy, permissions: readonly string[]): Promise<Set<string> | undefined> {
  const { project } = deploy;
  const url = `https://cloudresourcemanager.googleapis.com/v1/projects/${project}:testIamPermissions`;
  const granted = new Set<string>();
  try {
    for (let i = 0; i < permissions.length; i += AT_ONCE) {
      const body = { permissions: permissions.slice(i, i + AT_ONCE) };
      const { body: answer } = await deploy.call({ method: 'POST', url, body, project }, false, ADVICE);
      for (const each of (answer as { permissions?: string[] } | undefined)?.permissions ?? []) granted.add(each);
    }
    return deploy.isDryRun ? new Set(permissions) : granted;
  } catch (error) {
    // Google renamed or removed a permission of the list. The commands tell what is missing.
    if (error instanceof StepFailure && / answered with 400:/.test(error.message)) return undefined;
    throw error;
  }
}

const grantLine = (project: string, member: string, role: string) =>
  `gcloud projects add-iam-policy-binding ${project} --member=${member} --role=${role} --condition=None`;
