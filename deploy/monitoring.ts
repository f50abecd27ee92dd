import type { Deploy } from './context';

const API = 'https://monitoring.googleapis.com/v3';
const CHECK = 'Decks: getServiceInfo';
const POLICY = 'Decks: getServiceInfo does not answer';

interface Channel {
  name: string;
  type: string;
  labels?: { email_address?: string };
}

interface UptimeCheck {
  name: string;
  displayName: string;
  monitoredResource?: { labels?: { host?: string } };
  httpCheck?: { path?: string };
}

interface Policy {
  name: string;
  displayName: string;
  conditions?: { conditionThreshold?: { filter?: string } }[];
  notificationChannels?: string[];
}

/**
 * Cloud Monitoring by its REST API, because gcloud has the commands for channels and policies in its alpha and beta
 * components only. https://cloud.google.com/monitoring/api/ref_v3/rest
 */
class Monitoring {
  constructor(private readonly deploy: Deploy) {}

  async list<T>(kind: 'notificationChannels' | 'uptimeCheckConfigs' | 'alertPolicies'): Promise<T[]> {
    const { project } = this.deploy;
    const url = `${API}/projects/${project}/${kind}?pageSize=500`;
    const { body } = await this.deploy.call({ method: 'GET', url, project }, false);
    return (body as Record<string, T[]> | undefined)?.[kind] ?? [];
  }

  /** Answers the name of the new resource. A dry run does not know it. */
  async create(kind: string, content: object): Promise<string> {
    const { project } = this.deploy;
    const url = `${API}/projects/${project}/${kind}`;
    const { body } = await this.deploy.call({ method: 'POST', url, body: content, project }, true);
    return (body as { name?: string } | undefined)?.name ?? `projects/${project}/${kind}/<its id>`;
  }

  async change(method: 'PATCH' | 'DELETE', resource: string, content?: object): Promise<void> {
    const { project } = this.deploy;
    await this.deploy.call({ method, url: `${API}/${resource}`, ...(content && { body: content }), project }, true);
  }
}

/** The name of the channel that mails to the address. Creates the channel when it is missing. */
export async function channelTo(deploy: Deploy, address: string): Promise<string> {
  const monitoring = new Monitoring(deploy);
  const channels = await monitoring.list<Channel>('notificationChannels');
  const found = channels.find(({ type, labels }) => type === 'email' && labels?.email_address === address);
  const content = { type: 'email', displayName: 'Decks: the operator', labels: { email_address: address } };
  return found?.name ?? monitoring.create('notificationChannels', content);
}

/**
 * Lets Google call `getServiceInfo` every five minutes, and tell the channel when the service does not answer. The
 * check of an earlier address of the service is deleted.
 */
export async function watchService(deploy: Deploy, channel: string): Promise<void> {
  const monitoring = new Monitoring(deploy);
  const { hostname: host, pathname: path } = new URL(`${deploy.baseUrl}/getServiceInfo`);
  const checks = (await monitoring.list<UptimeCheck>('uptimeCheckConfigs')).filter(
    ({ displayName }) => displayName === CHECK,
  );
  const isRight = ({ monitoredResource, httpCheck }: UptimeCheck) =>
    monitoredResource?.labels?.host === host && httpCheck?.path === path;
  const check =
    checks.find(isRight)?.name ??
    (await monitoring.create('uptimeCheckConfigs', {
      displayName: CHECK,
      monitoredResource: { type: 'uptime_url', labels: { project_id: deploy.project, host } },
      httpCheck: { path, port: 443, useSsl: true, validateSsl: true },
      period: '300s',
      timeout: '30s',
    }));
  await tellOf(monitoring, check, channel);
  // The policy does not use them any more.
  for (const each of checks) if (!isRight(each)) await monitoring.change('DELETE', each.name);
}

/** The policy as in https://cloud.google.com/monitoring/alerts/policies-in-json#json-uptime. */
async function tellOf(monitoring: Monitoring, check: string, channel: string): Promise<void> {
  const id = check.split('/').at(-1)!;
  const filter =
    'metric.type="monitoring.googleapis.com/uptime_check/check_passed" AND ' +
    `metric.label.check_id="${id}" AND resource.type="uptime_url"`;
  const conditions = [
    {
      displayName: 'Calls from two places or more fail for 10 minutes',
      conditionThreshold: {
        filter,
        aggregations: [
          {
            alignmentPeriod: '1200s',
            crossSeriesReducer: 'REDUCE_COUNT_FALSE',
            groupByFields: ['resource.label.*'],
            perSeriesAligner: 'ALIGN_NEXT_OLDER',
          },
        ],
        comparison: 'COMPARISON_GT',
        thresholdValue: 1,
        duration: '600s',
        trigger: { count: 1 },
      },
    },
  ];
  const policies = await monitoring.list<Policy>('alertPolicies');
  const found = policies.find(({ displayName }) => displayName === POLICY);
  // An operator may have added other channels.
  const notificationChannels = [...new Set([...(found?.notificationChannels ?? []), channel])];
  if (!found) {
    await monitoring.create('alertPolicies', { displayName: POLICY, combiner: 'OR', conditions, notificationChannels });
    return;
  }
  const isRight = found.conditions?.some(({ conditionThreshold }) => conditionThreshold?.filter === filter);
  if (isRight && found.notificationChannels?.includes(channel)) return;
  const url = `${found.name}?updateMask=conditions,notificationChannels`;
  await monitoring.change('PATCH', url, { conditions, notificationChannels });
}
