import { bucketNamed, drain, type Call } from './call';
import { BodyTooLarge } from '../http/body';
import { answerCors } from './cors';
import { asDiskError, DiskError } from '../data/errors';
import { StorageError, UploadError, diskFull, invalid } from './errors';
import { copyObject, getBucket, handleObject, listObjects } from './objects';
import { useSession } from './resumable';
import { insertObject } from './uploads';
import { readXmlObject, xmlErrorBody } from './xml-api';

/** Answers one request; a StorageError in the format of the path's API. */
export async function handle(call: Call): Promise<void> {
  try {
    if (answerCors(call)) return;
    await dispatch(call);
  } catch (error) {
    const known = storageErrorOf(error);
    if (!(known instanceof StorageError) || call.res.headersSent) throw error;
    await drain(call);
    answerError(call, known);
  }
}

function storageErrorOf(error: unknown): unknown {
  if (error instanceof BodyTooLarge) return invalid(error.message);
  const disk = asDiskError(error);
  return disk instanceof DiskError ? diskFull(disk.message) : error;
}

async function dispatch(call: Call): Promise<void> {
  const { method } = call;
  const uploadId = call.query.get('upload_id');
  if (uploadId !== null && (method === 'PUT' || method === 'DELETE')) return useSession(call, uploadId);

  const [, kind, rest] = /^(?:\/(upload|download))?(?:\/storage\/v1)?\/b(?:\/(.*))?$/.exec(call.path) ?? [];
  if (rest === undefined) {
    const [, bucket, name] = /^\/([^/]+)\/(.+)$/.exec(call.path) ?? [];
    if (bucket !== undefined && name !== undefined) {
      return readXmlObject(call, decode(bucket), decode(name));
    }
    throw notFound();
  }
  const [bucketName = '', o, name, verb, ...target] = rest.split('/').map(decode);
  const bucket = bucketNamed(call, bucketName);
  if (o === undefined && method === 'GET') return getBucket(call, bucket);
  if (o !== 'o') throw notFound();
  if (kind === 'upload' && name === undefined && method === 'POST') return insertObject(call, bucket);
  if (kind === 'upload') throw notFound();
  if (name === undefined || name === '') {
    if (method !== 'GET') throw notFound();
    return listObjects(call, bucket);
  }
  if (kind === 'download') call.query.set('alt', 'media');
  if (verb === undefined) return handleObject(call, bucket, name);
  const [toB, toBucket = '', toO, toName = ''] = target;
  if (method !== 'POST' || verb !== 'rewriteTo' || toB !== 'b' || toO !== 'o') throw notFound();
  return copyObject(call, { bucket, name }, { bucket: bucketNamed(call, toBucket), name: toName });
}

function answerError(call: Call, error: StorageError): void {
  const { res } = call;
  if (error.status === 304) {
    res.writeHead(304).end();
    return;
  }
  const isXml = !/^(\/upload|\/download)?(\/storage\/v1)?\/b(\/|$)/.test(call.path);
  const [type, body] = isXml
    ? ['application/xml; charset=UTF-8', xmlErrorBody(error)]
    : call.query.get('alt') === 'media' || error instanceof UploadError
      ? ['text/html; charset=UTF-8', error.message]
      : ['application/json; charset=UTF-8', JSON.stringify(error)];
  res.writeHead(error.status, { 'content-type': type, 'content-length': Buffer.byteLength(body) });
  res.end(call.method === 'HEAD' ? undefined : body);
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw invalid('The path is not valid UTF-8.');
  }
}

const notFound = () => new StorageError(404, 'notFound', 'Not Found');
