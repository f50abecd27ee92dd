import { storeDocuments } from './stored';
import { manifestRow, sha256, type DeckFile, type World } from './world';

/** Writes the blob records of uploaded files. */
export async function seedBlobs(world: World, presentationId: string, seeded: DeckFile[]): Promise<void> {
  const rows = new Map(seeded.map((file) => [sha256(file.bytes), manifestRow(file)]));
  const createdAt = new Date();
  const records = [...rows].map(([hash, { size, contentType }]) => {
    return [`presentations/${presentationId}/blobs/${hash}`, { sizeBytes: size, contentType, createdAt }] as const;
  });
  await storeDocuments(world.database, records);
}
