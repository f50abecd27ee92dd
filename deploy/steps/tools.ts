import { firebase, gcloud, StepFailure } from '../command';
import type { Deploy } from '../context';
import { checkRights } from '../rights';
import { enableMissing } from './project';
import type { Step } from './step';

const MIN_FIREBASE_TOOLS = 15;

export const tools: Step = {
  name: 'tools',
  about:
    'firebase-tools 15 or newer and gcloud are installed and logged in; the project exists and has billing; the account ' +
    'that deploys has the [rights](#the-rights-of-the-account-that-deploys)',
  async run(deploy) {
    const { project } = deploy;
    const version = await firebaseVersion(deploy);
    const { 'Google Cloud SDK': sdk = '?' } = await deploy.look<Record<string, string>>(
      gcloud('version', '--format=json'),
      {},
      'Install the Google Cloud CLI: https://cloud.google.com/sdk/docs/install',
    );
    const accounts = await deploy.look<{ account: string }[]>(
      gcloud('auth', 'list', '--filter=status:ACTIVE', '--format=json'),
      [],
    );
    if (!deploy.isDryRun && accounts.length === 0) {
      throw new StepFailure('gcloud is not logged in.', 'Run: gcloud auth login');
    }
    const advice =
      'Create the project at https://console.firebase.google.com, or log in with an account that may see it. When a ' +
      'service account deploys to a new project, an owner first runs: ' +
      `gcloud services enable serviceusage.googleapis.com --project=${project}`;
    // gcloud reads the project and its billing by these APIs. A service account may call only what its project enabled.
    await enableMissing(deploy, ['cloudresourcemanager.googleapis.com', 'cloudbilling.googleapis.com'], advice);
    await deploy.look(gcloud('projects', 'describe', project, '--format=json'), {}, advice);
    const billing = await deploy.look<{ billingEnabled?: boolean }>(
      gcloud('billing', 'projects', 'describe', project, '--format=json'),
      {},
    );
    if (!deploy.isDryRun && !billing.billingEnabled) {
      throw new StepFailure(
        `The project ${project} has no billing account: Cloud Functions needs the Blaze plan.`,
        `Open https://console.firebase.google.com/project/${project}/usage/details and choose Blaze.`,
      );
    }
    const rights = await checkRights(deploy, accounts[0]?.account ?? '');
    if (deploy.isDryRun) return 'would be checked';
    return `firebase-tools ${version}, gcloud ${sdk}, ${accounts[0]?.account}, ${project} with billing, ${rights}`;
  },
};

async function firebaseVersion(deploy: Deploy): Promise<string> {
  // `--json` prints {"status", "result"}; the version itself is plain text.
  const advice = `Install it: npm install --global firebase-tools@${MIN_FIREBASE_TOOLS}`;
  const command = firebase('--version');
  if (deploy.isDryRun) return String(await deploy.look(command, MIN_FIREBASE_TOOLS));
  const outcome = await deploy.around.run(command).catch(() => undefined);
  const version = /(\d+)\.\d+\.\d+/.exec(outcome?.stdout ?? '');
  if (!version) throw new StepFailure('The Firebase CLI (firebase-tools) is not installed.', advice);
  if (Number(version[1]) < MIN_FIREBASE_TOOLS)
    throw new StepFailure(`firebase-tools ${version[0]} is too old.`, advice);
  return version[0];
}
