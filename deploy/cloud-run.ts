import pMap from 'p-map';
import type { Endpoint } from './built';
import { gcloud, type Command } from './command';
import { RELEASE_ID, type Deploy } from './context';

/** How many programs or calls run at once. Each gcloud needs a core and some 100 MB of memory. */
const AT_ONCE = 6;

/** A service of Cloud Run, as `gcloud run services list` shows it. Each function is a service. */
export interface Service {
  metadata: { name: string; labels?: Record<string, string>; annotations?: Record<string, string> };
  spec: {
    template: { metadata?: { annotations?: Record<string, string> }; spec: Container };
    traffic?: { latestRevision?: boolean; revisionName?: string; percent?: number }[];
  };
  status?: Conditions & { latestReadyRevisionName?: string; latestCreatedRevisionName?: string };
}

interface Container {
  containers: { env?: { name: string; value?: string }[] }[];
}

interface Conditions {
  conditions?: { type: string; status: string }[];
}

/** A revision of a service, as `gcloud run revisions list` shows it. */
export interface Revision {
  metadata: { name: string; labels?: Record<string, string>; creationTimestamp: string };
  spec: Container;
  status?: Conditions;
}

/** The services of all functions of all regions, read with one command. */
export async function findServices(deploy: Deploy): Promise<Service[]> {
  const all = await deploy.look<Service[]>(
    gcloud('run', 'services', 'list', `--project=${deploy.project}`, '--format=json'),
    [],
  );
  return all.filter(({ metadata }) => metadata.labels?.['goog-managed-by'] === 'cloudfunctions');
}

/** The services of these functions in the region of the deploy. */
export async function servicesOf(deploy: Deploy, endpoints: readonly Endpoint[]): Promise<Service[]> {
  const names = new Set(endpoints.map(({ name }) => name.toLowerCase()));
  const services = await findServices(deploy);
  return services.filter((each) => names.has(each.metadata.name) && regionOf(each) === deploy.region);
}

const variableOf = ({ containers }: Container, name: string) =>
  containers[0]?.env?.find((each) => each.name === name)?.value;

/** The name of the function: that of the service has small letters only. */
export const functionOf = ({ metadata, spec }: Service) =>
  variableOf(spec.template.spec, 'FUNCTION_TARGET') ?? metadata.name;
export const regionOf = ({ metadata }: Service) => metadata.labels?.['cloud.googleapis.com/location'];
/** firebase-tools labels the functions of every codebase but `default`. */
export const codebaseOf = ({ metadata }: Service) => metadata.labels?.['firebase-functions-codebase'];
export const releaseOf = ({ spec }: Revision) => variableOf(spec, RELEASE_ID);

export const isReady = ({ status }: { status?: Conditions }) =>
  status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True') ?? false;

/**
 * Whether the newest revision has this release and started. A refused start leaves the earlier revision the ready one.
 */
export function isReleased(service: Service, release: string): boolean {
  const { latestReadyRevisionName: ready, latestCreatedRevisionName: created } = service.status ?? {};
  return variableOf(service.spec.template.spec, RELEASE_ID) === release && isReady(service) && ready === created;
}

/** The revision that gets all requests; undefined for the newest one. */
export function pinnedRevision({ spec: { traffic = [] } }: Service): string | undefined {
  return traffic.find(({ percent, latestRevision }) => percent !== 0 && !latestRevision)?.revisionName;
}

/** A command about the service of a function. */
export const onService = (deploy: Deploy, name: string, verb: string, ...options: string[]): Command =>
  gcloud(
    ...['run', 'services', verb, name.toLowerCase(), ...options],
    ...[`--region=${deploy.region}`, `--project=${deploy.project}`],
  );

/** Does the work for each item, several at once. After a failure no other item is begun, and running work ends. */
export async function forEachAtOnce<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  let failure: { error: unknown } | undefined;
  await pMap(
    items,
    (item) => (failure ? undefined : work(item).catch((error: unknown) => void (failure ??= { error }))),
    { concurrency: AT_ONCE },
  );
  if (failure) throw failure.error;
}

/** New revisions get no requests as long as a rollback sends them to an earlier one: Cloud Run keeps that choice. */
export async function routeToNewest(deploy: Deploy): Promise<void> {
  const { endpoints } = await deploy.built();
  const services = await servicesOf(deploy, endpoints);
  const pinned = services.filter((each) => pinnedRevision(each) !== undefined);
  await forEachAtOnce(pinned, ({ metadata }) =>
    deploy.act(onService(deploy, metadata.name, 'update-traffic', '--to-latest')),
  );
}
