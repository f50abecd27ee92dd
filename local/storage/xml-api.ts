import { count, header, requestBody, type Call } from './call';
import { StorageError, invalid } from './errors';
import { answerMedia } from './media';
import { assertBucket } from './objects';
import { assertPreconditions, preconditionsOf, type Preconditions } from './preconditions';
import { assertObjectName, etagOf, fieldsOf } from './resource';
import { openSession } from './resumable';
import { assertSigned, isSigned } from './signature';
import type { ObjectFields } from './stored-object';
import { storeUpload } from './uploads';

/**
 * Serves `/<bucket>/<object>`, the path of signed URLs. Objects are private: without a signature or credentials the
 * answer is 403.
 */
export async function handleXmlObject(call: Call, bucket: string, name: string): Promise<void> {
  if (isSigned(call.query)) assertSigned(call);
  else if (!header(call, 'authorization')) {
    throw new StorageError(
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
      count(call.state, 'objects.get:media');
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
      count(call.state, 'objects.insert:resumable');
      await openSession(call, bucket, name, fieldsInHeaders(call), conditionsInHeaders(call));
      call.res.writeHead(201, { 'content-length': 0 }).end();
      return;
    }
    case 'DELETE': {
      count(call.state, 'objects.delete');
      const { orphans } = await call.state.store.remove(bucket, name, undefined, conditionsInHeaders(call));
      await call.state.blobs.remove(orphans);
      call.res.writeHead(204).end();
      return;
    }
    default:
      throw new StorageError(405, 'MethodNotAllowed', `Method ${call.method} is not allowed here.`);
  }
}

async function put(call: Call, bucket: string, name: string): Promise<void> {
  count(call.state, 'objects.insert');
  const conditions = conditionsInHeaders(call);
  assertPreconditions(conditions, call.state.store.find(bucket, name));
  const fields = { contentType: 'application/octet-stream', ...fieldsInHeaders(call) };
  const object = await storeUpload(call, { bucket, name, ...fields }, {}, withinLimits(call), conditions);
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

/** The body. Throws 400 when its size is outside of `x-goog-content-length-range: <min>,<max>`. */
async function* withinLimits(call: Call): AsyncGenerator<Buffer> {
  const [, min, max] = /^\s*(\d+)\s*,\s*(\d+)\s*$/.exec(header(call, 'x-goog-content-length-range') ?? '') ?? [];
  let size = 0;
  for await (const chunk of requestBody(call)) {
    size += chunk.length;
    if (max !== undefined && size > Number(max)) {
      throw new StorageError(400, 'EntityTooLarge', 'Your proposed upload is larger than the maximum object size.');
    }
    yield chunk;
  }
  if (min !== undefined && size < Number(min)) {
    throw new StorageError(400, 'EntityTooSmall', 'Your proposed upload is smaller than the minimum object size.');
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

const xmlCodes: Record<string, string> = {
  notFound: 'NoSuchKey',
  conditionNotMet: 'PreconditionFailed',
  requestedRangeNotSatisfiable: 'InvalidRange',
  invalid: 'InvalidArgument',
};

/** The body of an error in the format of the XML API. */
export function xmlErrorBody(error: StorageError): string {
  const code = xmlCodes[error.reason] ?? error.reason;
  return `<?xml version='1.0' encoding='UTF-8'?><Error><Code>${code}</Code><Message>${escapeXml(error.message)}</Message></Error>`;
}

function escapeXml(text: string): string {
  return text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');
}
