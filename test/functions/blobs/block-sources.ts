import type { ManifestFile } from '../../../functions/src/policy/manifest';
import { newId } from '../../../functions/src/values/ids';
import { gateway, startWorldBehindGateway } from '../../support/gateways';
import { watchLog } from '../../support/request-lines';
import { bucket } from '../../support/whole-store';
import { manifestRow, sha256, world, type Account, type Deck, type DeckFile } from '../../support/world';

/** Files in a bucket behind a gateway. */

export const MB = 1024 * 1024;
export let owner: Account;
export const lines: string[] = [];

/** Starts the world before the tests of this file. */
export function startBlocks(): void {
  startWorldBehindGateway(async () => {
    watchLog((text) => lines.push(text));
    process.env['RETRY_PAUSE_MS'] = '5';
    owner = await world.anOwner();
  });
  afterEach(() => {
    gateway.ignoresRanges = false;
    useBucket(gateway.url);
  });
}

export function useBucket(url: string): void {
  Object.assign(process.env, { STORAGE_EMULATOR_HOST: url, FIREBASE_STORAGE_EMULATOR_HOST: new URL(url).host });
}

const context = { trail: undefined, endsAt: Infinity };
export const fileOf = (size: number): ManifestFile => {
  return { path: 'film.mp4', sha256: sha256(newId()), size, contentType: 'video/mp4' };
};
export const sourceOf = (file: ManifestFile, presentationId = newId()) => ({ context, presentationId, file });
type Source = ReturnType<typeof sourceOf>;
/** A file with these bytes in the bucket. The service does not compare bytes that it reads with their hash. */
export async function stored(bytes: Buffer): Promise<Source> {
  const source = sourceOf(fileOf(bytes.length));
  const name = `presentations/${source.presentationId}/blobs/${source.file.sha256}`;
  await bucket().file(name).save(bytes, { resumable: false, validation: false });
  return source;
}

/** The source of a file of a deck. */
export const sourceIn = ({ presentationId }: Pick<Deck, 'presentationId'>, file: DeckFile) =>
  sourceOf(manifestRow(file), presentationId);
