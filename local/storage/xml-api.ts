import { bucketNamed, count, header, type Call } from './call';
import { StorageError, notServed } from './errors';
import { answerMedia } from './media';
import { assertObjectName } from './resource';
import { assertSigned } from './signature';

/** `GET /<bucket>/<object>`, the path of signed URLs. Without a signature or credentials the answer is 403. */
export async function readXmlObject(call: Call, bucketName: string, name: string): Promise<void> {
  const { query } = call;
  if (query.has('X-Goog-Signature')) assertSigned(call);
  else if (!header(call, 'authorization')) {
    throw new StorageError(
      403,
      'AccessDenied',
      'Anonymous caller does not have access to the Google Cloud Storage object.',
    );
  }
  if (call.method !== 'GET' && call.method !== 'HEAD') throw notServed(`${call.method} at a path of the XML API`);
  assertObjectName(name);
  count(call.state, 'objects.get:media');
  return answerMedia(call, bucketNamed(call, bucketName), name, {
    contentType: query.get('response-content-type'),
    contentDisposition: query.get('response-content-disposition'),
  });
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
