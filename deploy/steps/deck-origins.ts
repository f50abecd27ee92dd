import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { labelOfToken, originOf } from '../../functions/src/values/deck-origins';
import { addressOf, certificateOf, createBalancer, findBalancer } from '../balancer';
import { appendLine, gcloud, StepFailure } from '../command';
import { describe, type Deploy } from '../context';
import { domainOf } from '../deck-origin';
import { Settings } from '../settings';
import type { Visited } from '../surroundings';
import { releaseAgain } from './release';
import type { Step } from './step';

const FUNCTION = 'deckSite';
/** A load balancer that is new, or whose functions are, answers after minutes. */
const TRIES = 30;

export const makeBalancer: Step = {
  name: 'balancer',
  about:
    'with `--deck-origin`: a wildcard certificate is asked for, and a load balancer passes every host of the domain to ' +
    '`deckSite`; with `--no-deck-origin --delete-removed`: both are deleted',
  async run(deploy) {
    const { deckOrigin, deleteRemoved } = deploy.options;
    if (deckOrigin === undefined || (deckOrigin === false && !deleteRemoved)) return 'not asked for: nothing looked at';
    const { service } = await readFunction(deploy);
    if (deckOrigin === false) return deleteBalancer(deploy, service);
    const domain = domainOf(deckOrigin);
    const created = await createBalancer(deploy, domain, service);
    return `${created === 0 ? 'complete' : `${created} resources created`}, for *.${domain}`;
  },
};

/** The service of Cloud Run behind the function, and its address. */
async function readFunction(deploy: Deploy): Promise<{ service: string; uri: string | undefined }> {
  const { serviceConfig } = await deploy.look<{ serviceConfig?: { service?: string; uri?: string } }>(
    gcloud(
      ...['functions', 'describe', FUNCTION, `--region=${deploy.region}`],
      ...[`--project=${deploy.project}`, '--format=json'],
    ),
    {},
    'The step release deploys the function.',
  );
  // Functions of the second generation run as the service of their name in lower case.
  const service = serviceConfig?.service?.split('/').at(-1) ?? FUNCTION.toLowerCase();
  return { service, uri: serviceConfig?.uri };
}

/**
 * An address that is given back gets another owner. A DNS record that still named it would let that owner serve pages
 * on a subdomain of the site.
 */
async function deleteBalancer(deploy: Deploy, service: string): Promise<string> {
  const balancer = await findBalancer(deploy, service);
  if (balancer.hasAddresses && balancer.domains.length === 0) {
    throw new StepFailure(
      'No certificate and no authorization tells the domain whose records lead to the load balancer.',
      'Make them again with --deck-origin. Or look up yourself that no DNS record holds the addresses, and delete ' +
        `them: gcloud compute addresses list --global --project=${deploy.project}`,
    );
  }
  for (const domain of new Set(balancer.domains)) await expectNoRecords(deploy, domain);
  await balancer.delete();
  return balancer.count === 0 ? 'nothing to delete' : `${balancer.count} resources deleted`;
}

/** Throws StepFailure unless DNS says that the hosts of the domain have no addresses. */
async function expectNoRecords(deploy: Deploy, domain: string): Promise<void> {
  let told = `*.${domain} still leads to the load balancer.`;
  const isNamed = await deploy.around.hasAddress(`${someLabel()}.${domain}`).catch((error: Error) => {
    told = `DNS does not tell whether *.${domain} still leads to the load balancer: ${describe(error)}.`;
    return true;
  });
  if (!isNamed) return;
  throw new StepFailure(
    told,
    `First delete the A and AAAA records of *.${domain} and wait until resolvers forget them: the next owner of ` +
      'the addresses could serve pages there.',
  );
}

/** A label that no deck has. */
const someLabel = () => labelOfToken(randomUUID());

export const openOrigins: Step = {
  name: 'deck-origin',
  about: 'the certificate is issued and the origins of decks answer; only then DECK_ORIGIN is set and deployed',
  async run(deploy) {
    const { deckOrigin } = deploy.options;
    const stored = deploy.settings.get('DECK_ORIGIN');
    const origin = deckOrigin ?? stored;
    if (!origin) return 'none: share pages frame the decks';
    if (deckOrigin) await expectCertificate(deploy, deckOrigin);
    if (deckOrigin && deckOrigin !== stored) await switchOn(deploy, deckOrigin);
    // An earlier run may have been cut off after it wrote the setting and before it deployed the functions with it.
    else if (deckOrigin) await releaseAgain(deploy);
    return checkOrigin(deploy, origin);
  },
};

interface Certificate {
  managed?: {
    state?: string;
    provisioningIssue?: { reason?: string };
    authorizationAttemptInfo?: { failureReason?: string; details?: string }[];
  };
}

/** Throws StepFailure with the DNS records while the certificate is not issued. */
async function expectCertificate(deploy: Deploy, origin: string): Promise<void> {
  const { project } = deploy;
  const name = certificateOf(domainOf(origin));
  const { managed } = await deploy.look<Certificate>(
    gcloud('certificate-manager', 'certificates', 'describe', name, `--project=${project}`, '--format=json'),
    { managed: { state: 'ACTIVE' } },
    'The step balancer creates the certificate.',
  );
  if (managed?.state === 'ACTIVE') return;
  const reasons = [
    managed?.state,
    managed?.provisioningIssue?.reason,
    ...(managed?.authorizationAttemptInfo ?? []).flatMap(({ failureReason, details }) => [failureReason, details]),
  ];
  const told = reasons.filter((each) => each).join(', ');
  // https://cloud.google.com/certificate-manager/docs/reference/certificate-manager/rest/v1/projects.locations.certificates
  const gaveUp =
    managed?.state === 'FAILED'
      ? 'Google gave up. When the records are right, delete the entry and the certificate, which are created again:\n' +
        `  gcloud certificate-manager maps entries delete ${name} --map=deck-origins --project=${project}\n` +
        `  gcloud certificate-manager certificates delete ${name} --project=${project}\n\n`
      : 'Google looks for the first record again and again, and issues the certificate in minutes to hours.\n\n';
  throw new StepFailure(
    `The certificate of *.${domainOf(origin)} is not issued yet: ${told}.`,
    `${await recordsOf(deploy, origin)}\n\n${gaveUp}Until then nothing changes for share links.`,
  );
}

/** The DNS records that the domain needs. */
async function recordsOf(deploy: Deploy, origin: string): Promise<string> {
  const domain = domainOf(origin);
  const on = [`--project=${deploy.project}`, '--format=json'];
  const { dnsResourceRecord: proof } = await deploy.look<{ dnsResourceRecord?: { name: string; data: string } }>(
    gcloud('certificate-manager', 'dns-authorizations', 'describe', certificateOf(domain), ...on),
    {},
  );
  const addresses: string[] = [];
  for (const version of ['ipv4', 'ipv6'] as const) {
    const { address = '?' } = await deploy.look<{ address?: string }>(
      gcloud('compute', 'addresses', 'describe', addressOf(version), '--global', ...on),
      {},
    );
    addresses.push(address);
  }
  const rows: [string, string, string | undefined][] = [
    [proof?.name ?? `_acme-challenge.${domain}.`, 'CNAME', proof?.data],
    [`*.${domain}.`, 'A', addresses[0]],
    [`*.${domain}.`, 'AAAA', addresses[1]],
  ];
  const width = Math.max(...rows.map(([name]) => name.length));
  return [
    'Add these records to the DNS of the domain, and keep them:\n',
    ...rows.map(([name, type, value = '?']) => `  ${name.padEnd(width)}  ${type.padEnd(5)}  ${value}`),
  ].join('\n');
}

/** Sets DECK_ORIGIN after requests reach the function: share links must not lead to an origin that does not answer. */
async function switchOn(deploy: Deploy, origin: string): Promise<void> {
  // The functions do not know the origin yet, so that its hosts are foreign to them.
  await expectAnswer(deploy, originOf(origin, someLabel()), ({ status }) => status === 421, 'status 421', origin);
  const line = Settings.line('DECK_ORIGIN', origin);
  if (deploy.isDryRun) deploy.around.print(appendLine(line, `functions/.env.${deploy.project}`));
  else {
    deploy.settings.set('DECK_ORIGIN', origin);
    deploy.around.print(
      `! A deploy from GitHub writes the settings anew: add the line ${line} to its variable SETTINGS.`,
    );
  }
  await releaseAgain(deploy);
}

async function checkOrigin(deploy: Deploy, origin: string): Promise<string> {
  const isOurPage = ({ status, contentType }: Visited) => status === 404 && contentType.startsWith('text/html');
  await expectAnswer(deploy, originOf(origin, someLabel()), isOurPage, 'the page with status 404', origin);
  const { uri } = await readFunction(deploy);
  if (uri) await expectAnswer(deploy, uri, ({ status }) => status === 421, 'status 421', origin);
  if (deploy.isDryRun) return 'would be checked';
  const site = deploy.setting('MARKETPLACE_URL') ?? `https://${deploy.project}.web.app`;
  const hint = isSameSite(origin, site) ? '' : `; ${site} is another site: docs/deck-origins.md, "One site"`;
  return `${origin}, a host without a deck answers 404, a foreign one 421${hint}`;
}

/** Whether the last two labels are equal. It takes the owners of two domains below `co.uk` for one. */
function isSameSite(...origins: string[]): boolean {
  const [one, other] = origins.map((origin) => new URL(origin).hostname.split('.').slice(-2).join('.'));
  return one === other;
}

/** Waits for an answer. Throws StepFailure when another one, or none, comes in the end. */
async function expectAnswer(
  deploy: Deploy,
  base: string,
  isRight: (visited: Visited) => boolean,
  what: string,
  origin: string,
): Promise<void> {
  const { around } = deploy;
  const url = `${base}/`;
  if (deploy.isDryRun) return around.print(`# reads: curl -i '${url}'`);
  let told = '';
  for (let left = TRIES; left > 0; left--) {
    try {
      const visited = await around.visit(url);
      if (isRight(visited)) return;
      told = `${url} answers ${visited.status} (${visited.contentType || 'no content type'}), not ${what}.`;
    } catch (error) {
      told = `${url} does not answer by HTTPS: ${describe(error as Error)}.`;
      // A record that does not exist does not come by waiting.
      if (/\bENOTFOUND\b/.test(told)) break;
    }
    if (left === TRIES) around.print(`… waiting for ${what} from ${url}`);
    if (left > 1) await pause(around.pauseMs);
  }
  const records = deploy.options.deckOrigin ? `${await recordsOf(deploy, origin)}\n\n` : '';
  throw new StepFailure(told, `${records}docs/deck-origins.md, "When it does not work", lists the causes.`);
}
