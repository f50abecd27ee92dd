import { forEachAtOnce, onService, servicesOf, type Service } from '../cloud-run';
import { StepFailure } from '../command';
import type { Deploy } from '../context';
import { has, ROLES_ADVICE } from './account';
import type { Step } from './step';

const EVERYBODY = 'allUsers';
const INVOKER = 'roles/run.invoker';
/** The annotation of a service that Cloud Run serves without a look at its policy. */
const WITHOUT_CHECK = 'run.googleapis.com/invoker-iam-disabled';

/** What Google answers where an organization allows no members but its own (iam.allowedPolicyMemberDomains). */
const FOREIGN_MEMBER = /permitted customer|allowedPolicyMember|organization policy/i;
/** What Google answers where an organization demands the check (run.managed.requireInvokerIam). */
const CHECK_DEMANDED = /requireInvokerIam|org(?:anization)? ?policy/i;

export const publish: Step = {
  name: 'public',
  about:
    'everybody may call each function but the scheduled ones: by the role `roles/run.invoker`, or without the check of ' +
    'Cloud Run where the organization refuses the role',
  run: makePublic,
};

/**
 * Makes the functions public that are not. firebase-tools gives the role only when it creates or changes a function,
 * and `gcloud run services update` is what Google offers where an organization refuses the role
 * (https://docs.cloud.google.com/run/docs/authenticating/public). A later deploy of a function may undo that, so that
 * this runs after each.
 */
export async function makePublic(deploy: Deploy): Promise<string> {
  const { endpoints } = await deploy.built();
  const wanted = endpoints.filter(({ kind }) => kind === 'public');
  const closed: Service[] = [];
  await forEachAtOnce(await servicesOf(deploy, wanted), async (each) => {
    if (each.metadata.annotations?.[WITHOUT_CHECK] !== 'true' && !(await isGranted(deploy, each))) closed.push(each);
  });
  const names = closed.map(({ metadata }) => metadata.name).toSorted();
  const [first, ...others] = names;
  if (first === undefined) return `${wanted.length} functions`;
  // The organization refuses the role to all of them, or to none.
  const isRefused = !(await grant(deploy, first));
  if (isRefused) await endCheck(deploy, first);
  await forEachAtOnce(others, (name) => (isRefused ? endCheck(deploy, name) : expectGrant(deploy, name)));
  const told = `${wanted.length} functions, ${names.length} of them since now`;
  return isRefused ? `${told}, without the check of Cloud Run: the organization refuses ${EVERYBODY}` : told;
}

/** gcloud reads one policy in a second or more, and this API in a tenth. */
async function isGranted(deploy: Deploy, { metadata: { name } }: Service): Promise<boolean> {
  const { project, region } = deploy;
  // https://cloud.google.com/run/docs/reference/rest/v2/projects.locations.services/getIamPolicy
  const url = `https://run.googleapis.com/v2/projects/${project}/locations/${region}/services/${name}:getIamPolicy`;
  const { body } = await deploy.call({ method: 'GET', url, project }, false);
  return has(body ?? {}, INVOKER, EVERYBODY);
}

/** Answers whether the organization allows the role. */
async function grant(deploy: Deploy, name: string): Promise<boolean> {
  try {
    await expectGrant(deploy, name);
    return true;
  } catch (error) {
    if (error instanceof StepFailure && FOREIGN_MEMBER.test(error.message)) return false;
    throw error;
  }
}

const expectGrant = (deploy: Deploy, name: string) =>
  deploy.act(
    onService(
      ...([deploy, name, 'add-iam-policy-binding'] as const),
      ...[`--member=${EVERYBODY}`, `--role=${INVOKER}`, '--format=none'],
    ),
    ROLES_ADVICE,
  );

const endCheck = (deploy: Deploy, name: string) =>
  deploy.act(onService(deploy, name, 'update', '--no-invoker-iam-check'), (output) =>
    CHECK_DEMANDED.test(output)
      ? `The organization refuses both ways to make the functions public. An administrator of it must allow one of them ` +
        `for the project ${deploy.project}, at https://console.cloud.google.com/iam-admin/orgpolicies:\n` +
        '- iam.allowedPolicyMemberDomains: allow all; or\n' +
        '- run.managed.requireInvokerIam: not enforced.\n' +
        `Then run: npm run deploy -- --project ${deploy.project} --from public`
      : ROLES_ADVICE,
  );
