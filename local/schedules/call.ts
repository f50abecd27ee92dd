import { request } from 'node:http';

interface JobCall {
  baseUrl: string;
  name: string;
  /** The name of the function in its address. */
  path: string;
  /** The time for which the run was scheduled, in milliseconds since 1970. */
  scheduledAt: number;
  signal: AbortSignal;
}

/** Calls a scheduled function as Cloud Scheduler does. Resolves with the status, however long the function runs. */
export function callJob({ baseUrl, name, path, scheduledAt, signal }: JobCall): Promise<number> {
  const region = baseUrl.slice(baseUrl.lastIndexOf('/') + 1);
  const headers = {
    'user-agent': 'Google-Cloud-Scheduler',
    'x-cloudscheduler': 'true',
    'x-cloudscheduler-jobname': `firebase-schedule-${name}-${region}`,
    'x-cloudscheduler-scheduletime': new Date(scheduledAt).toISOString(),
    'content-length': '0',
  };
  return new Promise((resolve, reject) => {
    request(`${baseUrl}/${path}`, { method: 'POST', headers, agent: false, signal }, (response) => {
      response.on('error', reject).on('end', () => resolve(response.statusCode ?? 0));
      response.resume();
    })
      .on('error', reject)
      .end();
  });
}
