import { randomBytes } from 'node:crypto';
import { firebase, gcloud, StepFailure } from '../command';
import type { Deploy } from '../context';
import { secretNames } from '../tables';
import { grantSecrets } from './account';
import type { Step } from './step';

const SECRET_BYTES = 32;

export const setSecrets: Step = {
  name: 'secrets',
  about:
    'SERVICE_SECRET, RESEND_API_KEY and RESEND_WEBHOOK_SECRET are set, and the account may read them; a set secret is ' +
    'never overwritten',
  async run(deploy) {
    const { project } = deploy;
    const listed = await deploy.look<{ name: string }[]>(
      gcloud('secrets', 'list', `--project=${project}`, '--format=json'),
      [],
    );
    const existing = new Set(listed.map(({ name }) => name.split('/').at(-1)));
    const made: string[] = [];
    for (const name of secretNames) {
      if (existing.has(name) && (await hasVersion(deploy, name))) continue;
      await deploy.act({
        ...firebase('functions:secrets:set', name, '--data-file=-', `--project=${project}`, '--non-interactive'),
        input: await inputOf(deploy, name),
      });
      made.push(name);
    }
    await grantSecrets(deploy);
    return made.length > 0 ? `${made.join(', ')} set` : 'all are set';
  },
};

/**
 * The newest enabled version of each secret. A deployed function reads the version that was the newest at its deploy.
 */
export async function secretVersions(deploy: Deploy): Promise<string[]> {
  const newest: string[] = [];
  for (const name of secretNames) {
    const enabled = (await listVersions(deploy, name)).filter(({ state }) => state === 'ENABLED');
    newest.push(enabled.map((each) => each.name.split('/').at(-1)!).toSorted((a, b) => Number(b) - Number(a))[0] ?? '');
  }
  return newest;
}

function listVersions(deploy: Deploy, name: string): Promise<{ name: string; state: string }[]> {
  return deploy.look(gcloud('secrets', 'versions', 'list', name, `--project=${deploy.project}`, '--format=json'), []);
}

/**
 * Whether the secret has an enabled version. Throws StepFailure when all its versions are disabled: a new secret could
 * not decrypt what the disabled one encrypted.
 */
async function hasVersion(deploy: Deploy, name: string): Promise<boolean> {
  const { project } = deploy;
  const versions = await listVersions(deploy, name);
  if (versions.some(({ state }) => state === 'ENABLED')) return true;
  const disabled = versions.find(({ state }) => state !== 'DESTROYED');
  if (!disabled) return false;
  throw new StepFailure(
    `The secret ${name} has no enabled version, and a disabled one.`,
    `Enable it: gcloud secrets versions enable ${disabled.name.split('/').at(-1)} --secret=${name} --project=${project}`,
  );
}

/** A newline at the end would be a part of the secret. */
async function inputOf(deploy: Deploy, name: (typeof secretNames)[number]) {
  if (name === 'SERVICE_SECRET') {
    const value = randomBytes(SECRET_BYTES).toString('base64');
    return { value, shownAs: `openssl rand -base64 ${SECRET_BYTES} | tr -d '\\n'` };
  }
  if (name === 'RESEND_WEBHOOK_SECRET') return webhookSecretOf(deploy);
  const shownAs = `printf %s "$RESEND_API_KEY"`;
  if (deploy.isDryRun) return { value: '', shownAs };
  const given =
    deploy.around.env['RESEND_API_KEY'] ??
    (await deploy.answer(
      'Resend API key (https://resend.com/api-keys): ',
      'Set RESEND_API_KEY in the environment.',
      true,
    ));
  const value = given.trim();
  if (!/^\S+$/.test(value)) throw new StepFailure('The Resend API key is empty or has spaces.', 'Copy the key again.');
  return { value, shownAs };
}

/**
 * The secret with which Resend signs what it tells of mails. It exists when the operator has entered the address of the
 * function at Resend; until then the service is not told.
 */
async function webhookSecretOf(deploy: Deploy) {
  const shownAs = `printf %s "$RESEND_WEBHOOK_SECRET"`;
  if (deploy.isDryRun) return { value: '', shownAs };
  const given =
    deploy.around.env['RESEND_WEBHOOK_SECRET'] ??
    (await deploy.around.ask?.(
      `Resend tells whether mails arrive. Add a webhook at https://resend.com/webhooks for the address\n` +
        `${deploy.baseUrl}/receiveMailEvents and these events of emails: delivered, delivery_delayed, bounced, ` +
        'complained, failed, suppressed.\nThe signing secret of the webhook (empty: later): ',
      true,
    )) ??
    '';
  const value = given.trim() || NO_WEBHOOK;
  if (value !== NO_WEBHOOK && !value.startsWith('whsec_'))
    throw new StepFailure('The signing secret of the webhook begins with whsec_.', 'Copy it again.');
  return { value, shownAs };
}

/** Stands for the secret of a webhook that does not exist. Secret Manager stores no empty value. */
const NO_WEBHOOK = 'none';
