import { count, header, media, type Call } from './call';
import { CloudError, invalid } from './errors';
import { answerMedia } from './media';
import { assertPreconditions, preconditionsOf, type Preconditions } from './preconditions';
import { assertObjectName, etagOf, fieldsOf, type ObjectFields } from './resource';
import { openSession } from './resumable';
import { assertSigned, isSigned } from './signature';
import { assertBucket } from './objects';
import { store } from './uploads';

/** `/<bucket>/<object>`, the form of signed URLs. Objects are private: the URL is signed, or the request has credentials. */
export async function xmlObject(call: Call, bucket: string, name: string): Promise<void> {
  if (isSigned(call.query)) assertSigned(call);
  else if (!header(call, 'authorization')) {
    throw new CloudError(
      403,
      'AccessDenied',
      'Anonymous caller does not have access to the Google Cloud Storage object.',
    );
  }
  assertBucket(call, bucket);
  assertObjectName(name);
  switch (call.method) {
    case 'GET':
    case 'HEAD': {
      count(call.cloud, 'objects.get:media');
      const { query } = call;
      return answerMedia(call, bucket, name, {
        contentType: query.get('response-content-type'),
        contentDisposition: query.get('response-content-disposition'),
      });
    }
    case 'PUT':
      return put(call, bucket, name);
    case 'POST': {
      if (header(call, 'x-goog-resumable') !== 'start') throw invalid('A POST starts a resumable upload only.');
      count(call.cloud, 'objects.insert:resumable');
      await openSession(call, bucket, name, fieldsInHeaders(call), conditionsInHeaders(call));
      call.res.writeHead(201, { 'content-length': 0 }).end();
      return;
    }
    case 'DELETE': {
      count(call.cloud, 'objects.delete');
      const { orphans } = await call.cloud.store.remove(bucket, name, undefined, conditionsInHeaders(call));
      await call.cloud.blobs.remove(orphans);
      call.res.writeHead(204).end();
      return;
    }
    default:
      throw new CloudError(405, 'MethodNotAllowed', `Method ${call.method} is not allowed here.`);
  }
}

async function put(call: Call, bucket: string, name: string): Promise<void> {
  count(call.cloud, 'objects.insert');
  const conditions = conditionsInHeaders(call);
  assertPreconditions(conditions, call.cloud.store.find(bucket, name));
  const fields = { contentType: 'application/octet-stream', ...fieldsInHeaders(call) };
  const object = await store(call, { bucket, name, ...fields }, {}, withinLimits(call), conditions);
  call.res.writeHead(200, {
    'content-length': 0,
    etag: object.md5Hash ? `"${Buffer.from(object.md5Hash, 'base64').toString('hex')}"` : `"${etagOf(object)}"`,
    'x-goog-generation': object.generation,
    'x-goog-metageneration': object.metageneration,
    'x-goog-hash': `crc32c=${object.crc32c},md5=${object.md5Hash}`,
    'x-goog-stored-content-length': object.size,
  });
  call.res.end();
}

/** The body, held to `x-goog-content-length-range: <min>,<max>`. */
async function* withinLimits(call: Call): AsyncGenerator<Buffer> {
  const [, min, max] = /^\s*(\d+)\s*,\s*(\d+)\s*$/.exec(header(call, 'x-goog-content-length-range') ?? '') ?? [];
  let size = 0;
  for await (const chunk of media(call)) {
    size += chunk.length;
    if (max !== undefined && size > Number(max)) {
      throw new CloudError(400, 'EntityTooLarge', 'Your proposed upload is larger than the maximum object size.');
    }
    yield chunk;
  }
  if (min !== undefined && size < Number(min)) {
    throw new CloudError(400, 'EntityTooSmall', 'Your proposed upload is smaller than the minimum object size.');
  }
}

function fieldsInHeaders(call: Call): ObjectFields {
  const metadata = Object.keys(call.req.headers)
    .filter((name) => name.startsWith('x-goog-meta-'))
    .map((name) => [name.slice('x-goog-meta-'.length), header(call, name)]);
  const fields = {
    cacheControl: header(call, 'cache-control'),
    contentDisposition: header(call, 'content-disposition'),
    contentEncoding: header(call, 'content-encoding'),
    contentLanguage: header(call, 'content-language'),
    contentType: header(call, 'content-type'),
    metadata: Object.fromEntries(metadata) as Record<string, string>,
  };
  return fieldsOf(fields);
}

function conditionsInHeaders(call: Call): Preconditions {
  const query = new URLSearchParams();
  for (const [name, parameter] of [
    ['x-goog-if-generation-match', 'ifGenerationMatch'],
    ['x-goog-if-metageneration-match', 'ifMetagenerationMatch'],
  ] as const) {
    const value = header(call, name);
    if (value !== undefined) query.set(parameter, value);
  }
  return preconditionsOf(query);
}
