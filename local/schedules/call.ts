import { post } from '../http/post';

interface JobCall {
  baseUrl: string;
  name: string;
  /** The name of the function in its address. */
  path: string;
  /** The time for which the run was scheduled, in milliseconds since 1970. */
  scheduledAt: number;
  signal: AbortSignal;
}

/** Calls a scheduled function as Cloud Scheduler does. Resolves with the status. */
export function callJob({ baseUrl, name, path, scheduledAt, signal }: JobCall): Promise<number> {
  const region = baseUrl.slice(baseUrl.lastIndexOf('/') + 1);
  const headers = {
    'user-agent': 'Google-Cloud-Scheduler',
    'x-cloudscheduler': 'true',
    'x-cloudscheduler-jobname': `firebase-schedule-${name}-${region}`,
    'x-cloudscheduler-scheduletime': new Date(scheduledAt).toISOString(),
  };
  return post(`${baseUrl}/${path}`, { headers, signal });
}
