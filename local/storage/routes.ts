import { getBucket, listBuckets } from './buckets';
import { drain, type Call } from './call';
import { BodyTooLarge } from '../http/body';
import { answerCors } from './cors';
import { CloudError, invalid } from './errors';
import { compose, copy, list, move, one } from './objects';
import { useSession } from './resumable';
import { insert } from './uploads';
import { xmlObject } from './xml';

/** Answers one request; a `CloudError` in the form that belongs to the path. */
export async function handle(call: Call): Promise<void> {
  try {
    if (answerCors(call)) return;
    await dispatch(call);
  } catch (error) {
    const known = error instanceof BodyTooLarge ? invalid(error.message) : error;
    if (!(known instanceof CloudError) || call.res.headersSent) throw error;
    await drain(call);
    answerError(call, known);
  }
}

async function dispatch(call: Call): Promise<void> {
  const { method } = call;
  const uploadId = call.query.get('upload_id');
  if (uploadId !== null && (method === 'PUT' || method === 'DELETE')) return useSession(call, uploadId);

  const [, kind, rest] = /^(?:\/(upload|download))?(?:\/storage\/v1)?\/b(?:\/(.*))?$/.exec(call.path) ?? [];
  if (rest === undefined) {
    if (call.path === '/b' || call.path === '/storage/v1/b') return listBuckets(call);
    const [, bucket, name] = /^\/([^/]+)\/(.+)$/.exec(call.path) ?? [];
    if (bucket !== undefined && name !== undefined) return xmlObject(call, decode(bucket), decode(name));
    throw notFound();
  }
  const [bucket = '', o, name, verb, ...target] = rest.split('/').map(decode);
  if (o === undefined) {
    if (method !== 'GET') throw notFound();
    return getBucket(call, bucket);
  }
  if (o !== 'o') throw notFound();
  if (kind === 'upload' && name === undefined && method === 'POST') return insert(call, bucket);
  if (kind === 'upload') throw notFound();
  if (name === undefined || name === '') {
    if (method !== 'GET') throw notFound();
    return list(call, bucket);
  }
  if (kind === 'download') call.query.set('alt', 'media');
  if (verb === undefined) return one(call, bucket, name);
  if (method !== 'POST') throw notFound();
  const [toB, toBucket = '', toO, toName = ''] = target;
  if ((verb === 'rewriteTo' || verb === 'copyTo') && toB === 'b' && toO === 'o') {
    return copy(call, { bucket, name }, { bucket: toBucket, name: toName }, verb === 'rewriteTo');
  }
  if (verb === 'moveTo' && target[0] === 'o') return move(call, bucket, name, target[1] ?? '');
  if (verb === 'compose' && target.length === 0) return compose(call, bucket, name);
  throw notFound();
}

function answerError(call: Call, error: CloudError): void {
  const { res } = call;
  for (const name of ['content-encoding', 'etag', 'content-length', 'cache-control']) res.removeHeader(name);
  if (error.status === 304) {
    res.writeHead(304).end();
    return;
  }
  const isXml = !/^(\/upload|\/download)?(\/storage\/v1)?\/b(\/|$)/.test(call.path);
  const [type, body] = isXml
    ? ['application/xml; charset=UTF-8', xmlOf(error)]
    : call.query.get('alt') === 'media'
      ? ['text/html; charset=UTF-8', error.message]
      : ['application/json; charset=UTF-8', JSON.stringify(error)];
  res.writeHead(error.status, { 'content-type': type, 'content-length': Buffer.byteLength(body) });
  res.end(call.method === 'HEAD' ? undefined : body);
}

const XML_CODES: Record<string, string> = {
  notFound: 'NoSuchKey',
  conditionNotMet: 'PreconditionFailed',
  requestedRangeNotSatisfiable: 'InvalidRange',
  invalid: 'InvalidArgument',
};

function xmlOf(error: CloudError): string {
  const escape = (text: string) => text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');
  const code = XML_CODES[error.reason] ?? error.reason;
  return `<?xml version='1.0' encoding='UTF-8'?><Error><Code>${code}</Code><Message>${escape(error.message)}</Message></Error>`;
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw invalid('The path is not valid UTF-8.');
  }
}

const notFound = () => new CloudError(404, 'notFound', 'Not Found');
