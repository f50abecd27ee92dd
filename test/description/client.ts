// A program of somebody else: its client is made from docs/openapi.json by openapi-typescript and openapi-fetch. It
// pushes a deck, adds a link, opens the link, revokes it and opens it again. test/description/description.long.test.ts
// compiles and runs it.
import { createHash } from 'node:crypto';
import createClient from 'openapi-fetch';
import type { paths } from '../../.build/description/schema';

const { BASE_URL = '', API_KEY = '' } = process.env;
const client = createClient<paths>({ baseUrl: BASE_URL, headers: { authorization: `Bearer ${API_KEY}` } });

/** The data of a success. Throws the code of an error. */
function dataOf<T>({ data, error }: { data?: { data: T }; error?: { error: { code: string; requestId: string } } }): T {
  if (!data) throw new Error(`${error?.error.code} in the request ${error?.error.requestId}`);
  return data.data;
}

const bytes = Buffer.from('<!doctype html><title>Sales</title><p>Hello');
const sha256 = createHash('sha256').update(bytes).digest('hex');
const contentType = 'text/html; charset=utf-8';

async function push(): Promise<string> {
  const { sessionId, missing } = dataOf(await client.POST('/precheckAssets', { body: { hashes: [sha256] } }));
  if (!sessionId) throw new Error('A push of a new deck needs a session.');
  for (const hash of missing) {
    const uploaded = await client.POST('/uploadPresentationAsset', {
      body: { sessionId, sha256: hash, contentType, file: '' },
      bodySerializer: () => {
        const form = new FormData();
        for (const [name, value] of Object.entries({ sessionId, sha256: hash, contentType })) form.append(name, value);
        form.append('file', new Blob([bytes], { type: contentType }), 'index.html');
        return form;
      },
    });
    if (dataOf(uploaded).size !== bytes.length) throw new Error('The service stored another size.');
  }
  const files = [{ path: 'index.html', sha256, size: bytes.length, contentType }];
  const body = { sessionId, title: 'Sales', entryPath: 'index.html', files };
  const params = { header: { 'Idempotency-Key': `push-${sha256.slice(0, 16)}` } };
  const committed = dataOf(await client.POST('/commitPresentationVersion', { params, body }));
  if (!('presentationId' in committed)) throw new Error('The answer is that of a dry run.');
  return committed.presentationId;
}

async function view(
  presentationId: string,
  token: string,
): Promise<{ status: number; type: string | null; text: string }> {
  const params = { path: { presentationId, token, assetPath: 'index.html' } };
  const { response, data } = await client.GET('/getSharedPresentation/{presentationId}/_t/{token}/{assetPath}', {
    params,
    parseAs: 'text',
  });
  return { status: response.status, type: response.headers.get('content-type'), text: String(data ?? '') };
}

async function main(): Promise<void> {
  const presentationId = await push();
  const added = dataOf(await client.POST('/addPresentationToken', { body: { presentationId, tokenName: 'For Ada' } }));
  const { tokenId, token } = added;
  if (token === undefined) throw new Error('Only a replayed answer has no token.');
  const opened = await view(presentationId, token);
  dataOf(await client.POST('/unsharePresentation', { body: { presentationId, tokenId } }));
  const revoked = await view(presentationId, token);
  const refused = await client.POST('/unsharePresentation', { body: { presentationId, tokenId: 'x'.repeat(22) } });
  // The union of the errors of a status is told apart by the code.
  const refusal = refused.error?.error;
  const location = refusal?.code === 'invalid-argument' ? refusal.details?.errors?.[0]?.location : undefined;
  console.log(JSON.stringify({ opened, revoked: revoked.status, refusal: refusal?.code, location }));
}

void main();
