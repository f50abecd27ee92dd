import { uploadForm, type Result } from '../../support/uploads';
import { storedFiles } from '../../support/whole-store';
import { blob, startWorld, world } from '../../support/world';
import type { Account, DeckFile, Target } from '../../support/world';

/** Uploads in forms, and what a deck then has. */

export let owner: Account;
export let stranger: Account;

/** Starts the world before the tests of this file. */
export function startUploading(): void {
  startWorld(async () => {
    [owner, stranger] = await Promise.all([world.anOwner(), world.anOwner()]);
  });
}

export const objects = (presentationId: string) => storedFiles(`presentations/${presentationId}/`);
export const records = async (presentationId: string) =>
  (await world.database.collection(`presentations/${presentationId}/blobs`).get()).docs;
/** How many objects and records a deck has. */
export const counts = async (id: string) => [(await objects(id)).length, (await records(id)).length];
export const upload = (target: Target, files: DeckFile[], by = owner) => uploadForm(world, by, target, files);
export const blobs = (count: number, size = 100) => Array.from({ length: count }, () => blob(size));
export const sizesOf = (results: Result[]) => results.map(({ status, size }) => `${status} ${size}`);
