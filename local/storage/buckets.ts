import { readBody } from '../http/body';
import { answerJson, count, type Call } from './call';
import { invalid, noSuchBucket, notServed, preconditionFailed, required, StorageError } from './errors';
import { numberOf } from './preconditions';
import { objectOf } from './resource';
import type { StoredBucket } from './stored-bucket';
import { parseMetadata } from './upload-metadata';

const BODY_LIMIT_BYTES = 1024 * 1024;
const PAGE_SIZE = 1000;

/** `GET /b`: in the order of the names, up to `maxResults` a page. The token is the last name of the page. */
export function listBuckets(call: Call): void {
  count(call.state, 'buckets.list');
  const { query, state } = call;
  if (!query.get('project')) throw required('project');
  const prefix = query.get('prefix') ?? '';
  const after = query.get('pageToken') ?? '';
  const limit = Math.min(numberOf(query, 'maxResults') || PAGE_SIZE, PAGE_SIZE);
  const names = [...state.buckets.keys()].filter((name) => name.startsWith(prefix) && name > after).sort();
  const page = names.slice(0, limit);
  answerJson(call, {
    kind: 'storage#buckets',
    items: page.flatMap((name) => resourceOf(call, name) ?? []),
    nextPageToken: names.length > limit ? page.at(-1) : undefined,
  });
}

/** `POST /b?project=…`. A setting that this server would not honour is refused with 501. */
export async function createBucket(call: Call): Promise<void> {
  count(call.state, 'buckets.insert');
  const body = parseMetadata((await readBody(call.req, BODY_LIMIT_BYTES)).toString('utf8'));
  if (!call.query.get('project')) throw required('project');
  const { name, location, storageClass, labels, ...others } = body;
  if (typeof name !== 'string' || name === '') throw new StorageError(400, 'required', 'Required');
  assertBucketName(name);
  for (const [field, value] of Object.entries(others)) {
    if (value !== null && value !== undefined) throw notServed(`The setting ${field} of a bucket`);
  }
  const bucket: StoredBucket = {
    timeCreated: new Date().toISOString(),
    ...(typeof location === 'string' && { location: location.toUpperCase() }),
    ...(typeof storageClass === 'string' && { storageClass: storageClass.toUpperCase() }),
    ...(labels !== undefined && { labels: objectOf(labels) as Record<string, string> }),
  };
  const created = call.state.aliases.get(name) ?? name;
  await call.state.store.createBucket(created, bucket);
  answerJson(call, resourceOf(call, created));
}

/** `GET` and `DELETE /b/<bucket>`. */
export async function handleBucket(call: Call, name: string): Promise<void> {
  const match = numberOf(call.query, 'ifMetagenerationMatch');
  switch (call.method) {
    case 'GET':
    case 'HEAD': {
      count(call.state, 'buckets.get');
      const resource = resourceOf(call, name);
      if (!resource) throw noSuchBucket();
      if (match !== undefined && String(match) !== resource.metageneration) throw preconditionFailed();
      return answerJson(call, resource);
    }
    case 'DELETE':
      count(call.state, 'buckets.delete');
      await call.state.store.removeBucket(name, match);
      call.res.writeHead(204).end();
      return;
    default:
      if (!call.state.buckets.has(name)) throw noSuchBucket();
      throw notServed('A change of a bucket');
  }
}

/** The cloud's rules: https://cloud.google.com/storage/docs/buckets#naming. */
function assertBucketName(name: string): void {
  const parts = name.split('.');
  const isValid =
    /^[a-z0-9][a-z0-9._-]*[a-z0-9]$/.test(name) &&
    name.length >= 3 &&
    name.length <= (parts.length > 1 ? 222 : 63) &&
    parts.every((part) => part.length >= 1 && part.length <= 63) &&
    !/^\d+\.\d+\.\d+\.\d+$/.test(name) &&
    !name.startsWith('goog') &&
    !/g[0o][0o]gle/.test(name);
  if (!isValid) throw invalid(`Invalid bucket name: '${name}'`);
}

function resourceOf(call: Call, name: string) {
  const bucket = call.state.buckets.get(name);
  if (!bucket) return undefined;
  const { timeCreated, location = 'US', storageClass = 'STANDARD', labels } = bucket;
  return {
    kind: 'storage#bucket',
    id: name,
    selfLink: `${call.base}/storage/v1/b/${name}`,
    name,
    metageneration: '1',
    location,
    locationType: /^(US|EU|ASIA)$/.test(location) ? 'multi-region' : 'region',
    storageClass,
    labels,
    etag: 'CAE=',
    timeCreated,
    updated: timeCreated,
    iamConfiguration: { uniformBucketLevelAccess: { enabled: true }, publicAccessPrevention: 'inherited' },
  };
}
