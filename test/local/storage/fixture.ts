import { generateKeyPairSync } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deleteApp, initializeApp, cert } from 'firebase-admin/app';
import { getStorage } from 'firebase-admin/storage';
import { startStorage, type StorageOptions } from '../../../local/storage';
import { BUCKET } from './bucket-name';

export { BUCKET } from './bucket-name';

export type Bucket = ReturnType<ReturnType<typeof getStorage>['bucket']>;

const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const CLIENT_EMAIL = 'local@demo-decks.iam.gserviceaccount.com';
export const signingKey = {
  clientEmail: CLIENT_EMAIL,
  publicKeyPem: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
};
export const privateKeyPem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();

let apps = 0;

/** The Admin SDK's bucket on the server at `url`. */
export function bucketAt(url: string): { bucket: Bucket; release: () => Promise<void> } {
  process.env.STORAGE_EMULATOR_HOST = url;
  process.env.FIREBASE_STORAGE_EMULATOR_HOST = url.replace('http://', '');
  const credential = cert({ projectId: 'demo-decks', clientEmail: CLIENT_EMAIL, privateKey: privateKeyPem });
  const app = initializeApp({ projectId: 'demo-decks', credential }, `storage-${apps++}`);
  return { bucket: getStorage(app).bucket(BUCKET), release: () => deleteApp(app) };
}

/** A server with an empty bucket, and the real SDK connected to it. */
export async function startStorageFixture(options: Partial<StorageOptions> = {}) {
  const dataDir = options.dataDir ?? (await mkdtemp(join(tmpdir(), 'storage-')));
  const server = await startStorage({ dataDir, buckets: [BUCKET], signingKey, ...options });
  const { bucket, release } = bucketAt(server.url);
  return {
    dataDir,
    server,
    bucket,
    /** The JSON API's address of all objects, or of one object. */
    object: (name?: string) =>
      `${server.url}/storage/v1/b/${BUCKET}/o${name === undefined ? '' : `/${encodeURIComponent(name)}`}`,
    upload: (query: string) => `${server.url}/upload/storage/v1/b/${BUCKET}/o?${query}`,
    stop: async () => {
      await release();
      await server.close();
    },
    end: async () => {
      await release();
      await server.close();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

export type StorageFixture = Awaited<ReturnType<typeof startStorageFixture>>;
