import { generateKeyPairSync } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { deleteApp, initializeApp, cert } from 'firebase-admin/app';
import { getStorage } from 'firebase-admin/storage';
import { startStorage, type StorageOptions } from '../../../local/storage';
import { aFolder } from '../folders';

export const BUCKET = 'demo-decks.firebasestorage.app';
export type Bucket = ReturnType<ReturnType<typeof getStorage>['bucket']>;

export const aKey = () =>
  generateKeyPairSync('rsa', {
    // Short, because each file with these tests makes one.
    modulusLength: 1024,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
const { publicKey, privateKey } = aKey();
const clientEmail = 'local@demo-decks.iam.gserviceaccount.com';
let apps = 0;

/** The Admin SDK's bucket on the server at `url`. It signs with that key. */
export function bucketAt(url: string, key = privateKey): { bucket: Bucket; release: () => Promise<void> } {
  process.env.STORAGE_EMULATOR_HOST = url;
  process.env.FIREBASE_STORAGE_EMULATOR_HOST = url.replace('http://', '');
  const credential = cert({ projectId: 'demo-decks', clientEmail, privateKey: key });
  const app = initializeApp({ projectId: 'demo-decks', credential }, `storage-${apps++}`);
  return { bucket: getStorage(app).bucket(BUCKET), release: () => deleteApp(app) };
}

export const json = async (response: Response) => (await response.json()) as Record<string, unknown>;

/** A server with an empty bucket, the real SDK connected to it, and requests without the SDK. */
export async function startStorageFixture(options: Partial<StorageOptions> = {}) {
  const dataDir = options.dataDir ?? aFolder();
  const signingKey = { clientEmail, publicKeyPem: publicKey };
  const server = await startStorage({ dataDir, buckets: [BUCKET], signingKey, ...options });
  const { bucket, release } = bucketAt(server.url);
  /** The JSON API's address of all objects, or of one object. */
  const object = (name?: string) =>
    `${server.url}/storage/v1/b/${BUCKET}/o${name === undefined ? '' : `/${encodeURIComponent(name)}`}`;
  const upload = (query: string) => `${server.url}/upload/storage/v1/b/${BUCKET}/o?${query}`;
  return {
    dataDir,
    server,
    bucket,
    object,
    upload,
    put: (name: string, body: string | Buffer, query = '', headers: Record<string, string> = {}) =>
      fetch(upload(`uploadType=media&name=${encodeURIComponent(name)}${query}`), { method: 'POST', body, headers }),
    /** An upload of metadata and media in one request. */
    related: (name: string, metadata: object, media: Buffer, type = 'multipart/related; boundary=b') =>
      fetch(upload('uploadType=multipart'), {
        method: 'POST',
        headers: { 'content-type': type },
        body: relatedBody(name, metadata, media),
      }),
    save: (name: string, bytes: string | Buffer, metadata: object = {}) =>
      bucket.file(name).save(bytes, { resumable: false, metadata }),
    read: async (name: string) => (await bucket.file(name).download())[0],
    metadataOf: async (name: string) => (await bucket.file(name).getMetadata())[0],
    exists: async (name: string) => (await bucket.file(name).exists())[0],
    names: async (query: object = {}) => (await bucket.getFiles(query))[0].map(({ name }) => name),
    /** The names of the files with the bytes of objects. */
    blobs: async () => (await readdir(join(dataDir, 'storage', 'blobs'))).sort(),
    stop: async () => {
      await release();
      await server.close();
    },
  };
}

export type StorageFixture = Awaited<ReturnType<typeof startStorageFixture>>;

export function storageFixture(options?: Partial<StorageOptions>): StorageFixture {
  const fixture = {} as StorageFixture;
  beforeAll(async () => void Object.assign(fixture, await startStorageFixture(options)));
  afterAll(() => fixture.stop());
  return fixture;
}

export function relatedBody(name: string, metadata: object, media: Buffer, boundary = 'b'): Buffer {
  return Buffer.concat([
    Buffer.from(`--${boundary}\r\nContent-Type: application/json\r\n\r\n${JSON.stringify({ name, ...metadata })}\r\n`),
    Buffer.from(`--${boundary}\r\nContent-Type: text/x-part\r\n\r\n`),
    media,
    Buffer.from(`\r\n--${boundary}--`),
  ]);
}
