import { need } from './refused';

type Resource = { name: string; [field: string]: unknown };

/** What a resource of a kind must have, as Cloud Monitoring's REST reference says. */
const needed: Record<string, readonly string[]> = {
  notificationChannels: ['type', 'labels'],
  uptimeCheckConfigs: ['displayName', 'monitoredResource', 'httpCheck', 'period', 'timeout'],
  alertPolicies: ['displayName', 'combiner', 'conditions', 'notificationChannels'],
};

/** The channels, uptime checks and alert policies of the project, in memory. It refuses what refers to nothing. */
export class Monitoring {
  readonly resources: Record<string, Resource[]> = {};
  #made = 0;

  has(name: string): boolean {
    return Object.values(this.resources)
      .flat()
      .some((each) => each.name === name);
  }

  answer(method: string, url: string, text: string): object | undefined {
    const { pathname, searchParams } = new URL(url.replace(/^\/[^/]+\/v3\//, '/'), 'http://x');
    const [, , project, kind = '', id] = pathname.split('/');
    const all = (this.resources[kind] ??= []);
    if (method === 'GET') return { [kind]: all };
    const body = text === '' ? {} : (JSON.parse(text) as Record<string, unknown>);
    for (const channel of (body['notificationChannels'] ?? []) as string[]) need(this.has(channel), 'NOT_FOUND');
    if (method === 'POST') {
      for (const field of needed[kind]!) need(body[field] !== undefined, `${field} is missing`);
      const made = { name: `projects/${project}/${kind}/${++this.#made}`, ...body };
      all.push(made);
      return made;
    }
    const found = all.find(({ name }) => name.endsWith(`/${kind}/${id}`));
    if (!found) return undefined;
    if (method === 'PATCH') {
      need(searchParams.get('updateMask') === Object.keys(body).join(), 'the mask and the body differ');
      return Object.assign(found, body);
    }
    const isUsed = JSON.stringify(this.resources['alertPolicies'] ?? []).includes(`check_id=\\"${id}\\"`);
    need(kind !== 'uptimeCheckConfigs' || !isUsed, 'an alert policy uses the check');
    this.resources[kind] = all.filter((each) => each !== found);
    return {};
  }
}
