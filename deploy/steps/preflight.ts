import { firebase, gcloud, StepFailure } from '../command';
import { DEFAULT_DATABASE, type Deploy } from '../context';
import { HOSTING_API } from '../site';
import { codebase } from './functions';
import { enabledApis } from './project';
import { restoredBy } from './restore';
import type { Step } from './step';

const RULES_API = 'https://firebaserules.googleapis.com/v1';

export const preflight: Step = {
  name: 'preflight',
  about:
    'the project has no other app whose rules or site the release would replace, or you gave `--existing-project`; the ' +
    'service stays on its database',
  async run(deploy) {
    if (deploy.isDryRun) return 'would be checked';
    const functions = await listFunctions(deploy);
    const name = codebase(deploy);
    const own = functions.filter((each) => each.codebase === name);
    checkDatabase(deploy, own);
    if (await wasDeployed(deploy, own)) return 'the service was deployed to this project before';
    const found = [
      ...functions.map(
        ({ id, region }) => `the function ${id} in ${region} (stays, unless it has a name of the service)`,
      ),
      ...(await findRules(deploy)),
      ...(await findSites(deploy)),
    ];
    if (found.length === 0) return 'no other app in this project';
    const list = found.map((each) => `- ${each}`).join('\n');
    if (!deploy.options.existingProject) {
      throw new StepFailure(
        `The project ${deploy.project} has another app:\n${list}`,
        'A separate project is best. To replace the rules and the site of this project, add --existing-project.',
      );
    }
    deploy.around.print(`! The project has another app, and --existing-project is given:\n${list}`);
    return 'the rules and the site of another app are replaced, as --existing-project allows';
  },
};

interface DeployedFunction {
  id: string;
  region: string;
  codebase?: string;
  environmentVariables?: Record<string, string>;
}

async function listFunctions(deploy: Deploy): Promise<DeployedFunction[]> {
  if (!(await isEnabled(deploy, 'cloudfunctions'))) return [];
  const { result } = await deploy.look<{ result: DeployedFunction[] }>(
    firebase('functions:list', `--project=${deploy.project}`, '--json'),
    { result: [] },
    'When the Firebase CLI is not logged in, run: firebase login',
  );
  return result;
}

/** A disabled API means that the project uses nothing of it. */
const isEnabled = async (deploy: Deploy, api: string) => (await enabledApis(deploy)).has(`${api}.googleapis.com`);

/**
 * A release with other settings would move the service to another database: after a restore, those of another machine
 * or of GitHub name the old one. Only an option or the restore that stored the setting may move the service.
 */
function checkDatabase(deploy: Deploy, own: readonly DeployedFunction[]): void {
  const { database, options } = deploy;
  const [first, ...others] = own.map((each) => each.environmentVariables?.['DATABASE_ID'] ?? DEFAULT_DATABASE);
  if (first === undefined) return;
  // After a move that was cut off some functions run on the database of the settings: the move is not finished.
  deploy.runningDatabase = [first, ...others].find((each) => each !== database) ?? first;
  const isWanted = options.restore !== undefined || options.set?.some((each) => each.startsWith('DATABASE_ID='));
  if (database === deploy.runningDatabase || isWanted || restoredBy(deploy)?.database === database) return;
  throw new StepFailure(
    `The service runs on the database ${deploy.runningDatabase}, and the settings name ${database}.`,
    `To keep the database, add --set 'DATABASE_ID=${deploy.runningDatabase}'. To change it, add --set 'DATABASE_ID=${database}'.\n` +
      'A deploy from GitHub needs the line in the variable SETTINGS of the repository.',
  );
}

/** The account is created before the first release, and functions have the codebase of firebase.json. */
async function wasDeployed(deploy: Deploy, own: readonly DeployedFunction[]): Promise<boolean> {
  const { project, ownAccount } = deploy;
  if (own.length > 0) return true;
  if (!(await isEnabled(deploy, 'iam'))) return false;
  const accounts = await deploy.look<{ email: string }[]>(
    gcloud('iam', 'service-accounts', 'list', `--project=${project}`, '--format=json'),
    [],
  );
  return accounts.some(({ email }) => email === ownAccount);
}

/** The rules that allow something. The Firebase console creates rules that deny everything: nobody misses them. */
async function findRules(deploy: Deploy): Promise<string[]> {
  if (!(await isEnabled(deploy, 'firebaserules'))) return [];
  const { project } = deploy;
  const read = async <T>(path: string) =>
    (await deploy.call({ method: 'GET', url: `${RULES_API}/${path}`, project }, false)).body as T | undefined;
  // https://firebase.google.com/docs/reference/rules/rest/v1/projects.releases/list
  const listed = await read<{ releases?: { name: string; rulesetName: string }[] }>(
    `projects/${project}/releases?pageSize=100`,
  );
  const found: string[] = [];
  for (const { name, rulesetName } of listed?.releases ?? []) {
    const release = name.split('/releases/')[1]!;
    // Other releases, such as those of other databases, are not replaced.
    const isReplaced =
      release === 'cloud.firestore' || /^firebase\.storage\/.*\.(appspot\.com|firebasestorage\.app)$/.test(release);
    if (!isReplaced) continue;
    const rules = await read<{ source?: { files?: { content?: string }[] } }>(rulesetName);
    const content = (rules?.source?.files ?? []).map((each) => each.content ?? '').join('\n');
    if (allowsSomething(content)) found.push(`the rules of ${release}`);
  }
  return found;
}

function allowsSomething(rules: string): boolean {
  const code = rules.replace(/\/\*[^]*?\*\/|\/\/.*/g, '');
  return code.replace(/allow\s+[\w\s,]+:\s*if\s+false\s*;/g, '').match(/\ballow\b/) !== null;
}

async function findSites(deploy: Deploy): Promise<string[]> {
  if (!(await isEnabled(deploy, 'firebasehosting'))) return [];
  const { project } = deploy;
  // https://firebase.google.com/docs/reference/hosting/rest/v1beta1/projects.sites/list
  const { body } = await deploy.call(
    { method: 'GET', url: `${HOSTING_API}/projects/${project}/sites`, project },
    false,
  );
  const sites = (body as { sites?: { name: string; type?: string }[] } | undefined)?.sites ?? [];
  const found: string[] = [];
  for (const { name, type } of sites) {
    const id = name.split('/').at(-1)!;
    if (type !== 'DEFAULT_SITE' && id !== project) continue;
    const url = `${HOSTING_API}/projects/${project}/sites/${id}/releases?pageSize=1`;
    const { body: listed } = await deploy.call({ method: 'GET', url, project }, false);
    if ((listed as { releases?: unknown[] } | undefined)?.releases?.length) found.push(`the site ${id}.web.app`);
  }
  return found;
}
