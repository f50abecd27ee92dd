import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { judge, type Seen } from '../client-address';
import { StepFailure } from '../command';
import type { Deploy } from '../context';
import { forEachAtOnce } from '../cloud-run';
import { answersItself, awaitAnswer, awaitGood, callService, expectData } from '../service';
import { releaseAgain } from './release';
import type { Step } from './step';

interface ServiceInfo {
  version: string;
  baseUrl: string;
  viewerUrl: string;
  marketplaceUrl: string;
}

export const checkService: Step = {
  name: 'check',
  about:
    'every public function answers; the service, the database and the site do, with the version and the addresses of ' +
    'this folder; both database clients of the functions write and read the same',
  async run(deploy) {
    const { baseUrl, around } = deploy;
    if (deploy.isDryRun) {
      for (const name of ['getServiceInfo', 'listMarketplaceListings?limit=1']) {
        around.print(`# reads: curl --fail-with-body '${baseUrl}/${name}'`);
      }
      around.print(`# reads: curl -X OPTIONS '${baseUrl}/<each function>'`);
      around.print(
        `# writes, reads and deletes two documents of the collection clientChecks with both database clients`,
      );
      return 'would be called';
    }
    const info = await expectData<ServiceInfo>(around, `${baseUrl}/getServiceInfo`, 'The service');
    const { version } = JSON.parse(readFileSync(join(around.root, 'package.json'), 'utf8')) as { version: string };
    if (info.version !== version) {
      throw new StepFailure(
        `${baseUrl} runs version ${info.version}, not ${version}.`,
        'Run the deploy again with --from release.',
      );
    }
    if (info.baseUrl !== baseUrl) {
      throw new StepFailure(
        `The functions say that their address is ${info.baseUrl}, not ${baseUrl}.`,
        'Set BASE_URL or REGION in the settings, and run the deploy again with --from release.',
      );
    }
    const probed = await probeAll(deploy);
    await expectData(around, `${baseUrl}/listMarketplaceListings?limit=1`, 'The database');
    const clients = await checkClients(deploy);
    const page = `${info.marketplaceUrl}/marketplace`;
    const { status, text } = await awaitAnswer(around, () => callService(page));
    if (status !== 200 || !text.includes('<html')) {
      throw new StepFailure(
        `The site fails: ${page} answers ${status}.`,
        'The site of an own domain answers when its certificate exists. Then run with --from check.',
      );
    }
    return `version ${version} at ${baseUrl}, ${probed} public functions, site ${info.viewerUrl}; ${clients}`;
  },
};

/**
 * Sends OPTIONS to every public function, which each of them answers without a look at the database. Google answers
 * instead of a function that is not public, without the request id that the functions add.
 */
async function probeAll(deploy: Deploy): Promise<number> {
  const { around, baseUrl } = deploy;
  const all = (await deploy.built()).endpoints.flatMap(({ name, kind }) => (kind === 'public' ? [name] : []));
  let closed = all;
  const probe = async () => {
    const asked = closed;
    closed = [];
    await forEachAtOnce(asked, async (name) => {
      if (!(await answersItself(`${baseUrl}/${name}`).catch(() => false))) closed.push(name);
    });
    return closed.length;
  };
  await awaitGood(around, probe, (count) => count === 0);
  if (closed.length === 0) return all.length;
  throw new StepFailure(
    `These functions are not public, or do not answer: ${closed.join(', ')}.`,
    'Run the deploy again with --from public.',
  );
}

/** Throws StepFailure when a database client of the functions does something else than the functions expect. */
async function checkClients(deploy: Deploy): Promise<string> {
  const { around, project } = deploy;
  if (deploy.setting('FIRESTORE_CLIENT') === 'sdk') return 'the functions use the Admin SDK for all calls';
  // The clients read their project from the environment. Calls with a person's credentials count for the last one.
  Object.assign(around.env, {
    GCLOUD_PROJECT: project,
    GOOGLE_CLOUD_PROJECT: project,
    DATABASE_ID: deploy.database,
    FIREBASE_CONFIG: JSON.stringify({ projectId: project }),
    GOOGLE_CLOUD_QUOTA_PROJECT: project,
  });
  delete around.env['FIRESTORE_EMULATOR_HOST'];
  const difference = await around.compareClients();
  if (!difference) return 'both database clients agree';
  throw new StepFailure(
    `On the database of ${project}, ${difference.message}.`,
    difference.client === 'the Admin SDK'
      ? 'The check uses the application default credentials of this machine. When they are missing or have no access,\n' +
          'run: gcloud auth application-default login'
      : 'Until that is repaired, let the functions use the Admin SDK for all calls:\n' +
          `npm run deploy -- --project ${project} --set FIRESTORE_CLIENT=sdk`,
  );
}

/** An address of RFC 5737 that no machine has. */
const FORGED = '203.0.113.77';

export const checkClientAddress: Step = {
  name: 'client-address',
  about: 'the functions see the address of the caller, and do not believe an invented one',
  async run(deploy) {
    const url = `${deploy.baseUrl}/getClientAddress`;
    if (deploy.isDryRun) {
      deploy.around.print(`# reads: curl --fail-with-body -H 'X-Forwarded-For: ${FORGED}' '${url}'`);
      return 'would be called';
    }
    const found = await look(deploy, url);
    if (found.isRight) return found.message;
    const advice =
      `Run: npm run deploy -- --project ${deploy.project} --proxy-hops ${found.hops}\n` +
      'A deploy from GitHub writes the settings anew each time: add the line ' +
      `TRUSTED_PROXY_HOPS=${found.hops} to the variable SETTINGS of the repository.`;
    const answer = await deploy.around.ask?.(
      `${found.message}.\nSet TRUSTED_PROXY_HOPS to ${found.hops} and deploy the functions again? [y/N] `,
    );
    if (!/^y(es)?$/i.test(answer ?? '')) throw new StepFailure(`Wrong client address: ${found.message}.`, advice);
    deploy.settings.set('TRUSTED_PROXY_HOPS', String(found.hops));
    await releaseAgain(deploy);
    const again = await look(deploy, url);
    if (again.isRight) return again.message;
    throw new StepFailure(`Wrong client address, also after another deploy: ${again.message}.`);
  },
};

async function look(deploy: Deploy, url: string) {
  const seen = await expectData<Seen>(deploy.around, url, 'The check of the client address', {
    'x-forwarded-for': FORGED,
  });
  return judge(seen, FORGED, deploy.options.clientAddress ?? (await deploy.around.lookUpAddress()));
}
