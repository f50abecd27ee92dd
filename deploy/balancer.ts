import { gcloud, StepFailure, type Command } from './command';
import type { Deploy } from './context';

/** The name of what one project has once. */
const NAME = 'deck-origins';
/** The description of every resource that the deploy makes. A resource without it belongs to somebody else. */
const MARK = 'Made by npm run deploy for the origins of decks';

/** The kinds of resources, in the order in which they are created: each refers only to earlier ones. */
const kinds = [
  'certificate-manager dns-authorizations',
  'certificate-manager certificates',
  'certificate-manager maps',
  'certificate-manager maps entries',
  'compute network-endpoint-groups',
  'compute backend-services',
  'compute url-maps',
  'compute target-https-proxies',
  'compute addresses',
  'compute forwarding-rules',
] as const;
type Kind = (typeof kinds)[number];

interface Found {
  name: string;
  description?: string;
  /** Of a group of network endpoints. */
  region?: string;
  cloudRun?: { service?: string };
  /** Of a backend service. */
  backends?: { group: string }[];
  /** Of an authorization by DNS. */
  domain?: string;
  /** Of a certificate. */
  managed?: { domains?: string[] };
  [field: string]: unknown;
}

interface Resource {
  kind: Kind;
  name: string;
  /** The arguments of `create` beside the name. */
  create: readonly string[];
  /** What a resource of this name must have to be this one. References compare by their last part. */
  fits: Readonly<Record<string, string>>;
}

/** The name of the certificate of a domain, of its authorization and of its entry in the map. */
export const certificateOf = (domain: string) => `${NAME}-${domain.replaceAll('.', '-')}`;
export const addressOf = (version: 'ipv4' | 'ipv6') => `${NAME}-${version}`;

/** The certificate and the load balancer that serve every host of the domain by a service of Cloud Run. */
function resourcesOf(domain: string, region: string, service: string): Resource[] {
  const certificate = certificateOf(domain);
  const one = (kind: Kind, name: string, create: string[], fits: Record<string, string> = {}): Resource => ({
    kind,
    name,
    create: [`--description=${MARK}`, ...create],
    fits: { description: MARK, ...fits },
  });
  const balanced = ['--load-balancing-scheme=EXTERNAL_MANAGED'];
  const versions = ['ipv4', 'ipv6'] as const;
  return [
    one('certificate-manager dns-authorizations', certificate, [`--domain=${domain}`], { domain }),
    one('certificate-manager certificates', certificate, [
      `--domains=*.${domain}`,
      `--dns-authorizations=${certificate}`,
    ]),
    one('certificate-manager maps', NAME, []),
    one(
      'certificate-manager maps entries',
      certificate,
      [`--map=${NAME}`, `--certificates=${certificate}`, `--hostname=*.${domain}`],
      { hostname: `*.${domain}` },
    ),
    {
      kind: 'compute network-endpoint-groups',
      name: NAME,
      create: [`--region=${region}`, '--network-endpoint-type=serverless', `--cloud-run-service=${service}`],
      fits: { service },
    },
    one('compute backend-services', NAME, [...balanced, '--global']),
    one('compute url-maps', NAME, [`--default-service=${NAME}`, '--global'], { defaultService: NAME }),
    one('compute target-https-proxies', NAME, [`--url-map=${NAME}`, `--certificate-map=${NAME}`, '--global'], {
      urlMap: NAME,
      certificateMap: NAME,
    }),
    ...versions.map((version) =>
      one('compute addresses', addressOf(version), [
        `--ip-version=${version.toUpperCase()}`,
        '--network-tier=PREMIUM',
        '--global',
      ]),
    ),
    ...versions.map((version) =>
      one(
        'compute forwarding-rules',
        addressOf(version),
        [
          ...[...balanced, '--network-tier=PREMIUM', `--address=${addressOf(version)}`],
          ...[`--target-https-proxy=${NAME}`, '--ports=443', '--global'],
        ],
        { target: NAME },
      ),
    ),
  ];
}

/** Creates what is missing. Answers how many resources that were. */
export async function createBalancer(deploy: Deploy, domain: string, service: string): Promise<number> {
  let created = 0;
  for (const resource of resourcesOf(domain, deploy.region, service)) {
    const { kind, name, create } = resource;
    const found = (await list(deploy, kind, deploy.region)).find((each) => lastPart(each.name) === name);
    if (!found) {
      await deploy.act(command(deploy, kind, 'create', name, ...create));
      created++;
    } else if (!Object.entries(resource.fits).every(([field, value]) => valueOf(found, field) === value)) {
      throw new StepFailure(
        `The resource ${name} of gcloud ${kind} exists, and is not the one that this deploy makes for ${domain}.`,
        `When nothing else uses it, delete it. Look at it: gcloud ${kind} list --project=${deploy.project} --format=json`,
      );
    }
    if (kind === 'compute backend-services') await attach(deploy, found?.backends ?? []);
  }
  return created;
}

/** Gives the backend service the endpoints of the region, and takes away those of an earlier region. */
async function attach(deploy: Deploy, backends: readonly { group: string }[]): Promise<void> {
  const regions = backends.map(({ group }) => {
    const [, region] = new RegExp(`/regions/([^/]+)/networkEndpointGroups/${NAME}$`).exec(group) ?? [];
    if (region !== undefined) return region;
    throw new StepFailure(`The backend service ${NAME} has a backend that this deploy did not add: ${group}.`);
  });
  const change = (verb: string, region: string) =>
    deploy.act(
      command(
        ...([deploy, 'compute backend-services', verb, NAME, `--network-endpoint-group=${NAME}`] as const),
        ...[`--network-endpoint-group-region=${region}`, '--global'],
      ),
    );
  if (!regions.includes(deploy.region)) await change('add-backend', deploy.region);
  for (const region of regions) if (region !== deploy.region) await change('remove-backend', region);
}

/** What exists of the certificates and the load balancer, in the order in which it can be deleted. */
async function made(deploy: Deploy, service: string): Promise<{ kind: Kind; found: Found }[]> {
  const all: { kind: Kind; found: Found }[] = [];
  for (const kind of kinds) {
    // The entries of a map that does not exist cannot be listed.
    if (kind === 'certificate-manager maps entries' && !all.some((each) => each.kind === 'certificate-manager maps'))
      continue;
    const isOurs = (found: Found) =>
      kind === 'compute network-endpoint-groups'
        ? found.name === NAME && found.cloudRun?.service === service
        : found.description === MARK;
    all.push(...(await list(deploy, kind)).filter(isOurs).map((found) => ({ kind, found })));
  }
  return all.reverse();
}

/**
 * The domains that have a certificate or an authorization of this deploy, and a function that deletes everything that
 * the deploy made.
 */
export async function findBalancer(deploy: Deploy, service: string) {
  const all = await made(deploy, service);
  return {
    count: all.length,
    hasAddresses: all.some(({ kind }) => kind === 'compute addresses'),
    domains: all
      .flatMap(({ found }) => [...(found.managed?.domains ?? []), found.domain ?? []].flat())
      .map((each) => each.replace(/^\*\./, '')),
    async delete() {
      for (const { kind, found } of all) {
        const { name, region } = found;
        await deploy.act(command(deploy, kind, 'delete', lastPart(name), ...scopeOf(kind, region), '--quiet'));
      }
    },
  };
}

const scopeOf = (kind: Kind, region: string | undefined): string[] =>
  kind === 'certificate-manager maps entries'
    ? [`--map=${NAME}`]
    : kind === 'compute network-endpoint-groups'
      ? [`--region=${lastPart(region!)}`]
      : kind.startsWith('compute ')
        ? ['--global']
        : [];

/** The resources of a kind: groups of network endpoints in the region, or in all regions. */
function list(deploy: Deploy, kind: Kind, region?: string): Promise<Found[]> {
  const scope =
    kind === 'compute network-endpoint-groups' ? (region ? [`--regions=${region}`] : []) : scopeOf(kind, region);
  return deploy.look<Found[]>(command(deploy, kind, 'list', ...scope, '--format=json'), []);
}

const command = (deploy: Deploy, kind: Kind, ...args: readonly string[]): Command =>
  gcloud(...kind.split(' '), ...args, `--project=${deploy.project}`);

const lastPart = (name: string) => name.split('/').at(-1)!;

function valueOf(found: Found, field: string): unknown {
  if (field === 'service') return found.cloudRun?.service;
  const value = found[field];
  return typeof value === 'string' && value.includes('/') && field !== 'description' ? lastPart(value) : value;
}
