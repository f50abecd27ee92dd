import type { Endpoint } from './built';

/**
 * Google's advice for projects with many functions
 * (https://firebase.google.com/docs/functions/manage-functions#deploy_functions).
 */
const LARGEST_GROUP = 10;
/** The share of the quota that a service leaves free when each function holds one idle instance, or more. */
const FREE_SHARE = 0.2;

/**
 * What the others need is first: calls, then the pages, whose scripts make calls, then jobs, which work on what calls
 * wrote. Each part is deployed before the next one.
 */
function partsOf(endpoints: readonly Endpoint[], pages: ReadonlySet<string>): Endpoint[][] {
  const partOf = ({ name, kind }: Endpoint) => (kind !== 'public' ? 2 : pages.has(name) ? 1 : 0);
  return [0, 1, 2].map((part) => endpoints.filter((each) => partOf(each) === part));
}

/**
 * The functions in groups that start few instances at once: Cloud Run starts one instance of each new revision, and
 * refuses it when the CPU of all running instances would exceed the quota of the region. The groups fit what is free
 * while every function of `all` holds one instance.
 */
export function groupsOf(
  endpoints: readonly Endpoint[],
  { all, pages, quota }: { all: readonly Endpoint[]; pages: ReadonlySet<string>; quota: number },
): Endpoint[][] {
  const free = Math.max(quota - cpuOf(all), quota * FREE_SHARE);
  return partsOf(endpoints, pages).flatMap((part) => {
    const groups: Endpoint[][] = [];
    for (const endpoint of part) {
      const last = groups.at(-1);
      if (last && last.length < LARGEST_GROUP && cpuOf([...last, endpoint]) <= free) last.push(endpoint);
      else groups.push([endpoint]);
    }
    return groups;
  });
}

const cpuOf = (endpoints: readonly Endpoint[]) => endpoints.reduce((sum, { cpu }) => sum + cpu, 0);
