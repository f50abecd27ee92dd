import { sha256, type Account, type DeckFile, type Target, type World } from './world';

/** A form of `uploadPresentationAssets`. The fields of the target come after the files, as they may. */
export function formOf(target: Partial<Record<string, string>>, files: readonly DeckFile[]): FormData {
  const form = new FormData();
  for (const { bytes, contentType } of files) {
    form.append(sha256(bytes), new Blob([new Uint8Array(bytes)], { type: contentType }), 'file');
  }
  for (const [name, value] of Object.entries(target)) form.append(name, value!);
  return form;
}

/** Uploads files together in a form. */
export const uploadForm = (world: World, { key }: Account, target: Target, files: readonly DeckFile[]) =>
  world.call<{ results: Result[] }>('uploadPresentationAssets', formOf(target, files), { key });

export type Result = { sha256: string; size: number; status: string; code?: string };

/** The grant of an upload straight to the bucket. */
export interface Grant {
  sha256: string;
  status: 'exists' | 'upload';
  url: string;
  headers: Record<string, string>;
  expiresAt: string;
}

export const assetOf = ({ bytes, contentType }: DeckFile) => {
  return { sha256: sha256(bytes), size: bytes.length, contentType };
};

export const askForGrants = (world: World, { key }: Pick<Account, 'key'>, target: object, assets: unknown) =>
  world.call<{ uploads: Grant[] }>('createAssetUploads', { ...target, assets }, { key });

/** Sends bytes to the bucket with a grant. */
export const put = async ({ url, headers }: Grant, bytes: Buffer): Promise<number> =>
  (await fetch(url, { method: 'PUT', headers, body: new Uint8Array(bytes) })).status;

/** Gets grants for files and sends the files that are not stored. Returns their hashes. */
export async function sendDirectly(world: World, by: Account, target: Target, files: readonly DeckFile[]) {
  const { uploads } = (await askForGrants(world, by, target, files.map(assetOf))).data;
  const sent = uploads.map((upload, i) =>
    upload.status === 'exists' ? Promise.resolve(200) : put(upload, files[i]!.bytes),
  );
  expect(await Promise.all(sent)).toEqual(files.map(() => 200));
  return uploads.map((upload) => upload.sha256);
}

type Completed = { verified: string[]; failed: { sha256: string; code: string }[] };

export const complete = (world: World, { key }: Pick<Account, 'key'>, target: object, sha256s: unknown[]) =>
  world.call<Completed>('completeAssetUploads', { ...target, sha256s }, { key });
