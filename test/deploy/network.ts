/** The options of each command that gcloud 528 has, which its own parser confirmed. */
export const networkCommands: Record<string, string> = {
  'certificate-manager dns-authorizations list': 'project format',
  'certificate-manager dns-authorizations describe': 'project format',
  'certificate-manager dns-authorizations create': 'description domain project',
  'certificate-manager dns-authorizations delete': 'project quiet',
  'certificate-manager certificates list': 'project format',
  'certificate-manager certificates describe': 'project format',
  'certificate-manager certificates create': 'description domains dns-authorizations project',
  'certificate-manager certificates delete': 'project quiet',
  'certificate-manager maps list': 'project format',
  'certificate-manager maps create': 'description project',
  'certificate-manager maps delete': 'project quiet',
  'certificate-manager maps entries list': 'map project format',
  'certificate-manager maps entries create': 'description map certificates hostname project',
  'certificate-manager maps entries delete': 'map project quiet',
  'compute network-endpoint-groups list': 'regions project format',
  'compute network-endpoint-groups create': 'region network-endpoint-type cloud-run-service project',
  'compute network-endpoint-groups delete': 'region project quiet',
  'compute backend-services list': 'global project format',
  'compute backend-services create': 'description load-balancing-scheme global project',
  'compute backend-services add-backend': 'network-endpoint-group network-endpoint-group-region global project',
  'compute backend-services remove-backend': 'network-endpoint-group network-endpoint-group-region global project',
  'compute backend-services delete': 'global project quiet',
  'compute url-maps list': 'global project format',
  'compute url-maps create': 'description default-service global project',
  'compute url-maps delete': 'global project quiet',
  'compute target-https-proxies list': 'global project format',
  'compute target-https-proxies create': 'description url-map certificate-map global project',
  'compute target-https-proxies delete': 'global project quiet',
  'compute addresses list': 'global project format',
  'compute addresses describe': 'global project format',
  'compute addresses create': 'description ip-version network-tier global project',
  'compute addresses delete': 'global project quiet',
  'compute forwarding-rules list': 'global project format',
  'compute forwarding-rules create':
    'description load-balancing-scheme network-tier address target-https-proxy ports global project',
  'compute forwarding-rules delete': 'global project quiet',
};

type Options = Record<string, string>;

interface Resource {
  name: string;
  [field: string]: unknown;
}

const COMPUTE = 'https://www.googleapis.com/compute/v1/projects/p';
const MANAGER = 'projects/p/locations/global';

/** The resource that `create` makes of the options, as `list` shows it. */
const shapes: Record<string, (option: Options) => object> = {
  'certificate-manager dns-authorizations': ({ domain }) => ({
    domain,
    dnsResourceRecord: {
      name: `_acme-challenge.${domain}.`,
      type: 'CNAME',
      data: 'proof.authorize.certificatemanager.goog.',
    },
  }),
  'certificate-manager certificates': (option) => ({
    managed: {
      domains: option['domains']!.split(','),
      dnsAuthorizations: [`${MANAGER}/dnsAuthorizations/${option['dns-authorizations']}`],
    },
  }),
  'certificate-manager maps': () => ({}),
  'certificate-manager maps entries': ({ hostname, certificates }) => ({
    hostname,
    certificates: [`${MANAGER}/certificates/${certificates}`],
  }),
  'compute network-endpoint-groups': (option) => ({
    region: `${COMPUTE}/regions/${option['region']}`,
    networkEndpointType: option['network-endpoint-type']!.toUpperCase(),
    cloudRun: { service: option['cloud-run-service'] },
  }),
  'compute backend-services': (option) => ({ loadBalancingScheme: option['load-balancing-scheme'] }),
  'compute url-maps': (option) => ({
    defaultService: `${COMPUTE}/global/backendServices/${option['default-service']}`,
  }),
  'compute target-https-proxies': (option) => ({
    urlMap: `${COMPUTE}/global/urlMaps/${option['url-map']}`,
    certificateMap: `//certificatemanager.googleapis.com/${MANAGER}/certificateMaps/${option['certificate-map']}`,
  }),
  'compute addresses': (option) => ({ address: option['ip-version'] === 'IPV6' ? '2001:db8::7' : '203.0.113.7' }),
  'compute forwarding-rules': (option) => ({
    loadBalancingScheme: option['load-balancing-scheme'],
    portRange: `${option['ports']}-${option['ports']}`,
    target: `${COMPUTE}/global/targetHttpsProxies/${option['target-https-proxy']}`,
  }),
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

  constructor(private readonly need: (isTrue: boolean, otherwise: string) => void) {}

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
    this.need(found !== undefined, `NOT_FOUND: ${kind} ${name}`);
    if (verb === 'describe') return this.#shown(kind, found!);
    if (verb === 'delete') return this.#delete(kind, name, found!);
    return this.#changeBackend(verb, found!, option);
  }

  /** Whether a request to the host reaches the function: every part of the load balancer is there. */
  serves(host: string): boolean {
    const isReady = (this.certificateState as { state?: string }).state === 'ACTIVE' && this.hasRecords;
    const matches = this.all('certificate-manager maps entries').some(({ hostname }) =>
      host.endsWith(String(hostname).slice(1)),
    );
    const [service] = this.all('compute backend-services');
    return isReady && matches && this.all('compute forwarding-rules').length === 2 && hasBackend(service);
  }

  #create(kind: string, name: string, option: Options, found: Resource | undefined): void {
    this.need(found === undefined, `ALREADY_EXISTS: ${kind} ${name}`);
    for (const [key, value] of Object.entries(option)) {
      if (!references[key]) continue;
      this.#needs(key, value);
      this.#uses.push([kind, name, references[key], value]);
    }
    const { description } = option;
    const full = kind.startsWith('compute ') ? name : `${MANAGER}/x/${name}`;
    this.all(kind).push({ name: full, ...(description && { description }), ...shapes[kind]!(option) });
  }

  #delete(kind: string, name: string, found: Resource): void {
    const user = this.#uses.find(([, , of, named]) => of === kind && named === name);
    this.need(user === undefined, `resourceInUseByAnotherResource: ${user?.slice(0, 2).join(' ')}`);
    this.#uses = this.#uses.filter(([of, named]) => of !== kind || named !== name);
    this.resources.set(
      kind,
      this.all(kind).filter((each) => each !== found),
    );
  }

  #changeBackend(verb: string, service: Resource, option: Options): void {
    const { 'network-endpoint-group': group, 'network-endpoint-group-region': region } = option;
    this.#needs('network-endpoint-group', group!, region);
    const url = `${COMPUTE}/regions/${region}/networkEndpointGroups/${group}`;
    const backends = (service['backends'] ?? []) as { group: string }[];
    const has = backends.some((each) => each.group === url);
    this.need(has === (verb === 'remove-backend'), `${verb}: ${url}`);
    service['backends'] = has ? backends.filter((each) => each.group !== url) : [...backends, { group: url }];
  }

  #needs(key: string, name: string, region?: string): void {
    const kind = references[key]!;
    const exists = this.all(kind).some((each) => lastPart(each.name) === name && isIn(each, region));
    this.need(exists, `NOT_FOUND: ${kind} ${name}`);
  }

  #shown(kind: string, resource: Resource): Resource {
    if (kind !== 'certificate-manager certificates') return resource;
    return { ...resource, managed: { ...(resource['managed'] as object), ...this.certificateState } };
  }
}

const lastPart = (name: string) => name.split('/').at(-1)!;

const isIn = ({ region }: Resource, wanted: string | undefined) =>
  wanted === undefined || lastPart(String(region)) === wanted;

const hasBackend = (service: Resource | undefined) => ((service?.['backends'] ?? []) as unknown[]).length > 0;
