import { need, type Options } from './refused';

type Resource = { name: string; [field: string]: unknown };

const COMPUTE = 'https://www.googleapis.com/compute/v1/projects/p';
const MANAGER = 'projects/p/locations/global';
const PROOF = 'proof.authorize.certificatemanager.goog.';

/**
 * Where resources of a kind are, the options of `create`, and the fields that it makes of them, as `list` shows them.
 */
type Kind = [scope: 'map' | 'region' | 'global' | '', create: string, shape: (option: Options) => object];

/** The kinds with the options of gcloud 528, which its own parser confirmed. */
const kinds: Record<string, Kind> = {
  'certificate-manager dns-authorizations': [
    '',
    'description domain',
    ({ domain }) => ({ domain, dnsResourceRecord: { name: `_acme-challenge.${domain}.`, data: PROOF } }),
  ],
  'certificate-manager certificates': [
    '',
    'description domains dns-authorizations',
    ({ domains }) => ({ managed: { domains: domains!.split(',') } }),
  ],
  'certificate-manager maps': ['', 'description', () => ({})],
  'certificate-manager maps entries': [
    'map',
    'description map certificates hostname',
    ({ hostname }) => ({ hostname }),
  ],
  'compute network-endpoint-groups': [
    'region',
    'region network-endpoint-type cloud-run-service',
    ({ region, 'cloud-run-service': service }) => ({ region: `${COMPUTE}/regions/${region}`, cloudRun: { service } }),
  ],
  'compute backend-services': ['global', 'description load-balancing-scheme global', () => ({})],
  'compute url-maps': [
    'global',
    'description default-service global',
    (option) => ({ defaultService: `${COMPUTE}/global/backendServices/${option['default-service']}` }),
  ],
  'compute target-https-proxies': [
    'global',
    'description url-map certificate-map global',
    (option) => ({
      urlMap: `${COMPUTE}/global/urlMaps/${option['url-map']}`,
      certificateMap: `//certificatemanager.googleapis.com/${MANAGER}/certificateMaps/${option['certificate-map']}`,
    }),
  ],
  'compute addresses': [
    'global',
    'description ip-version network-tier global',
    (option) => ({ address: option['ip-version'] === 'IPV6' ? '2001:db8::7' : '203.0.113.7' }),
  ],
  'compute forwarding-rules': [
    'global',
    'description load-balancing-scheme network-tier address target-https-proxy ports global',
    (option) => ({ target: `${COMPUTE}/global/targetHttpsProxies/${option['target-https-proxy']}` }),
  ],
};

const BACKEND = 'network-endpoint-group network-endpoint-group-region global project';

export const networkCommands: Record<string, string> = {
  ...Object.fromEntries(
    Object.entries(kinds).flatMap(([kind, [scope, create]]) => [
      [`${kind} list`, `${scope === 'region' ? 'regions' : scope} project format`],
      [`${kind} describe`, `${scope} project format`],
      [`${kind} create`, `${create} project`],
      [`${kind} delete`, `${scope} project quiet`],
    ]),
  ),
  'compute backend-services add-backend': BACKEND,
  'compute backend-services remove-backend': BACKEND,
};

/** The options that name another resource, and its kind. */
const references: Record<string, string> = {
  'dns-authorizations': 'certificate-manager dns-authorizations',
  certificates: 'certificate-manager certificates',
  map: 'certificate-manager maps',
  'certificate-map': 'certificate-manager maps',
  'network-endpoint-group': 'compute network-endpoint-groups',
  'default-service': 'compute backend-services',
  'url-map': 'compute url-maps',
  'target-https-proxy': 'compute target-https-proxies',
  address: 'compute addresses',
};

/** The certificates and the load balancers of the project, in memory. It refuses what refers to nothing. */
export class Network {
  readonly resources = new Map<string, Resource[]>();
  /** The state of every certificate, as Certificate Manager shows it. */
  certificateState: object = { state: 'PROVISIONING' };
  /** Whether the domain has its A and AAAA records. */
  hasRecords = false;
  /** The types of these records, A and AAAA, and the code with which DNS answers instead. */
  records = [1, 28];
  response: number | undefined;
  /** Which resource names which, as [kind, name, kind, name]. */
  #uses: [string, string, string, string][] = [];

  all(kind: string): Resource[] {
    const found = this.resources.get(kind) ?? [];
    this.resources.set(kind, found);
    return found;
  }

  /** Every resource as `<kind> <name>`. */
  names(): string[] {
    return [...this.resources].flatMap(([kind, all]) => all.map(({ name }) => `${kind} ${lastPart(name)}`));
  }

  run(command: string, name: string, option: Options): unknown {
    const [, kind = '', verb = ''] = /^(.*) (\S+)$/.exec(command) ?? [];
    const all = this.all(kind);
    const found = all.find((each) => lastPart(each.name) === name && isIn(each, option['region']));
    if (verb === 'list') {
      if (option['map']) this.#needs('map', option['map']);
      return all.filter((each) => isIn(each, option['regions'])).map((each) => this.#shown(kind, each));
    }
    if (verb === 'create') return this.#create(kind, name, option, found);
    need(found !== undefined, `NOT_FOUND: ${kind} ${name}`);
    if (verb === 'describe') return this.#shown(kind, found);
    if (verb === 'delete') return this.#delete(kind, name, found);
    return this.#changeBackend(verb, found, option);
  }

  /** Whether a request to the host reaches the function: every part of the load balancer is there. */
  serves(host: string): boolean {
    const isReady = (this.certificateState as { state?: string }).state === 'ACTIVE' && this.hasRecords;
    const entries = this.all('certificate-manager maps entries');
    const matches = entries.some(({ hostname }) => host.endsWith(String(hostname).slice(1)));
    const [service] = this.all('compute backend-services');
    const hasBackend = ((service?.['backends'] ?? []) as unknown[]).length > 0;
    return isReady && matches && this.all('compute forwarding-rules').length === 2 && hasBackend;
  }

  #create(kind: string, name: string, option: Options, found: Resource | undefined): void {
    need(found === undefined, `ALREADY_EXISTS: ${kind} ${name}`);
    for (const [key, value] of Object.entries(option)) {
      if (!references[key]) continue;
      this.#needs(key, value);
      this.#uses.push([kind, name, references[key], value]);
    }
    const { description } = option;
    const full = kind.startsWith('compute ') ? name : `${MANAGER}/x/${name}`;
    this.all(kind).push({ name: full, ...(description && { description }), ...kinds[kind]![2](option) });
  }

  #delete(kind: string, name: string, found: Resource): void {
    const user = this.#uses.find(([, , of, named]) => of === kind && named === name);
    need(user === undefined, `resourceInUseByAnotherResource: ${user?.slice(0, 2).join(' ')}`);
    this.#uses = this.#uses.filter(([of, named]) => of !== kind || named !== name);
    const rest = this.all(kind).filter((each) => each !== found);
    this.resources.set(kind, rest);
  }

  #changeBackend(verb: string, service: Resource, option: Options): void {
    const { 'network-endpoint-group': group, 'network-endpoint-group-region': region } = option;
    this.#needs('network-endpoint-group', group!, region);
    const url = `${COMPUTE}/regions/${region}/networkEndpointGroups/${group}`;
    const backends = (service['backends'] ?? []) as { group: string }[];
    const has = backends.some((each) => each.group === url);
    need(has === (verb === 'remove-backend'), `${verb}: ${url}`);
    service['backends'] = has ? backends.filter((each) => each.group !== url) : [...backends, { group: url }];
  }

  #needs(key: string, name: string, region?: string): void {
    const kind = references[key]!;
    const exists = this.all(kind).some((each) => lastPart(each.name) === name && isIn(each, region));
    need(exists, `NOT_FOUND: ${kind} ${name}`);
  }

  #shown(kind: string, resource: Resource): Resource {
    if (kind !== 'certificate-manager certificates') return resource;
    return { ...resource, managed: { ...(resource['managed'] as object), ...this.certificateState } };
  }
}

const lastPart = (name: string) => name.split('/').at(-1)!;

const isIn = ({ region }: Resource, wanted: string | undefined) =>
  wanted === undefined || lastPart(String(region)) === wanted;
