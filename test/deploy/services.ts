import type { Endpoint } from '../../deploy/built';
import { need } from './refused';

export const INVOKER = 'roles/run.invoker';

interface Revision {
  name: string;
  variables: Record<string, string>;
  isReady: boolean;
  /** A number that grows with each revision of the project. */
  at: number;
}

/** A function of the second generation with its service of Cloud Run. */
export interface Deployed {
  id: string;
  region: string;
  codebase: string;
  minInstances: number;
  revisions: Revision[];
  /** The revision that gets all requests; undefined for the newest one. */
  pinned: string | undefined;
  hasBoost: boolean;
  isWithoutCheck: boolean;
}

/** The functions of the project, in memory, as Cloud Functions and Cloud Run show them. */
export class Services {
  all: Deployed[] = [];
  /** The CPU quota of the region, and how much of it other instances leave. */
  cpuQuota = 20;
  freeCpu = 20;
  /** Whether Cloud Functions gives new functions the boost of CPU at starts. */
  startsWithBoost = true;
  #count = 0;

  of(codebase: string, region: string | undefined): Deployed[] {
    return this.all.filter((each) => each.codebase === codebase && each.region === region);
  }

  /** Finds the service with this name, which has small letters only. */
  named(service: string, region: string | undefined): Deployed {
    const found = this.all.find((each) => each.id.toLowerCase() === service && each.region === region);
    need(found !== undefined, `NOT_FOUND: ${service}`);
    return found;
  }

  /** Makes a new revision. Answers why it does not start; undefined when it does. */
  deploy(endpoint: Endpoint, codebase: string, variables: Record<string, string>): string | undefined {
    const { name: id, region, cpu, maxCpu, minInstances } = endpoint;
    if (maxCpu > this.cpuQuota)
      return `For the specified value, maxScale may not exceed ${Math.floor(this.cpuQuota / cpu)}.`;
    let found = this.all.find((each) => each.id === id && each.region === region);
    if (!found) {
      const state = { revisions: [], pinned: undefined, isWithoutCheck: false, hasBoost: this.startsWithBoost };
      found = { id, region, codebase, minInstances, ...state };
      this.all.push(found);
    }
    // Google does not say that a deploy keeps what gcloud changed.
    Object.assign(found, { codebase, minInstances, isWithoutCheck: false, hasBoost: this.startsWithBoost });
    const isReady = cpu <= this.freeCpu;
    if (isReady) this.freeCpu -= cpu;
    this.#addRevision(found, { ...variables, FUNCTION_TARGET: id }, isReady);
    return isReady ? undefined : 'Quota exceeded for total allowable CPU per project per region.';
  }

  /** Changes the template of a service, as gcloud does. */
  update(service: Deployed, option: Readonly<Record<string, string>>): void {
    if ('no-invoker-iam-check' in option) service.isWithoutCheck = true;
    if (!('cpu-boost' in option)) return;
    service.hasBoost = true;
    this.#addRevision(service, service.revisions.at(-1)!.variables, true);
  }

  #addRevision({ id, revisions }: Deployed, variables: Record<string, string>, isReady: boolean): void {
    const number = String(revisions.length + 1).padStart(5, '0');
    revisions.push({ name: `${id.toLowerCase()}-${number}-abc`, variables, isReady, at: this.#count++ });
  }

  /** What `gcloud run services list` prints. */
  list(): object[] {
    return this.all.map((each) => {
      const { revisions, pinned } = each;
      const newest = revisions.at(-1)!;
      const ready = revisions.findLast(({ isReady }) => isReady);
      return {
        metadata: {
          name: each.id.toLowerCase(),
          labels: {
            'goog-managed-by': 'cloudfunctions',
            'cloud.googleapis.com/location': each.region,
            ...(each.codebase !== 'default' && { 'firebase-functions-codebase': each.codebase }),
          },
          annotations: each.isWithoutCheck ? { 'run.googleapis.com/invoker-iam-disabled': 'true' } : {},
        },
        spec: {
          template: {
            metadata: { annotations: each.hasBoost ? { 'run.googleapis.com/startup-cpu-boost': 'true' } : {} },
            spec: container(newest),
          },
          traffic: [
            pinned === undefined ? { latestRevision: true, percent: 100 } : { revisionName: pinned, percent: 100 },
          ],
        },
        status: {
          ...conditions(newest.isReady),
          latestCreatedRevisionName: newest.name,
          latestReadyRevisionName: ready?.name,
        },
      };
    });
  }

  /** What `firebase functions:list` prints: the settings of each function are those of its newest revision. */
  listFunctions(): object[] {
    return this.all.map(({ id, region, codebase, revisions }) => ({
      id,
      region,
      codebase,
      environmentVariables: revisions.at(-1)!.variables,
    }));
  }

  /** What `gcloud run revisions list` prints. */
  listRevisions(region: string): object[] {
    return this.all
      .filter((each) => each.region === region)
      .flatMap(({ id, revisions }) =>
        revisions.map((each) => ({
          metadata: {
            name: each.name,
            labels: { 'serving.knative.dev/service': id.toLowerCase() },
            creationTimestamp: new Date(Date.UTC(2026, 0, 1, 0, each.at)).toISOString(),
          },
          spec: container(each),
          status: conditions(each.isReady),
        })),
      );
  }
}

const container = ({ variables }: Revision) => ({
  containers: [{ env: Object.entries(variables).map(([name, value]) => ({ name, value })) }],
});

const conditions = (isReady: boolean) => ({ conditions: [{ type: 'Ready', status: isReady ? 'True' : 'False' }] });
