import { answerJson, count, type Call } from './call';
import { noSuchBucket } from './errors';

/** `GET /b`. */
export function listBuckets(call: Call): void {
  count(call.state, 'buckets.list');
  const prefix = call.query.get('prefix') ?? '';
  const names = [...call.state.buckets.keys()].filter((name) => name.startsWith(prefix)).sort();
  answerJson(call, { kind: 'storage#buckets', items: names.map((name) => resourceOf(call, name)) });
}

/** `GET /b/<bucket>`. */
export function getBucket(call: Call, name: string): void {
  count(call.state, 'buckets.get');
  if (!call.state.buckets.has(name)) throw noSuchBucket();
  answerJson(call, resourceOf(call, name));
}

function resourceOf(call: Call, name: string) {
  const timeCreated = call.state.buckets.get(name);
  return {
    kind: 'storage#bucket',
    id: name,
    selfLink: `${call.base}/storage/v1/b/${name}`,
    name,
    metageneration: '1',
    location: 'US',
    locationType: 'multi-region',
    storageClass: 'STANDARD',
    etag: 'CAE=',
    timeCreated,
    updated: timeCreated,
    iamConfiguration: { uniformBucketLevelAccess: { enabled: true }, publicAccessPrevention: 'inherited' },
  };
}
