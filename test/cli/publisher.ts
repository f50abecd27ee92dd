import * as bed from './testbed';
import { done, testbed } from './testbed';

/** A user who publishes decks, and remixes of what that user published. */

/** Their key may publish. */
export let publisher: bed.Computer;

/** Makes `publisher` for the tests of a file, whose testbed exists. */
export function withPublisher(): void {
  beforeAll(async () => {
    publisher = await testbed.aPublisher();
  });
}

export type Listed = Record<'status' | 'slug', string>;
let decks = 0;
export const aTitle = () => `Deck number ${++decks} of this run`;

/** A folder that has been pushed. */
export const aPushedFolder = async (by = publisher, title = aTitle()) =>
  (await bed.aDeck({ 'index.html': `<title>${title}</title>` }, by)).folder;

export const publish = (folder: string, ...options: string[]) => publisher.done<Listed>('publish', folder, ...options);

export const remix = (slug: string, folder: string, ...options: string[]) =>
  done<bed.Pushed & { folder: string }>('remix', slug, folder, ...options);
export const decksOf = async () => (await done<{ decks: object[] }>('list')).decks.length;

/** The slug of a listing with these files. */
export async function aListing(files: Record<string, string | Buffer> = {}): Promise<string> {
  const { folder } = await bed.aDeck({ 'index.html': `<title>${aTitle()}</title>`, ...files }, publisher);
  return (await publish(folder, '--description', 'x')).slug;
}
