import { startWorldBehindGateway } from '../../support/gateways';
import { slide, type SentSlide } from '../../support/pictures';
import { bucket } from '../../support/whole-store';
import { page, world, type Account } from '../../support/world';

/** Decks whose clients send pictures of slides. The bucket is behind a gateway. */

export let owner: Account;

/** Starts the world before the tests of this file. */
export function startSlideDecks(): void {
  startWorldBehindGateway(async () => {
    owner = await world.anOwner();
  });
}

export async function push(presentationId: string, files = [page('next')], by = owner): Promise<void> {
  await world.uploadAll(by, { presentationId }, files);
  expect((await world.commit(by, { presentationId }, files)).status).toBe(200);
}

export const aDeck = async () => (await world.aDeck(owner)).presentationId;
export const slides = (...lefts: number[]): SentSlide[] =>
  lefts.map((left, i) => ({ key: `s${i}`, bytes: slide(left) }));
export const objects = async (presentationId: string, place: string) => {
  const [files] = await bucket().getFiles({ prefix: `presentations/${presentationId}/${place}/` });
  return files.map(({ name }) => name.split('/').at(-1)!);
};
