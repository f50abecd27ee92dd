import { aNewFolder, become, PAGE, type Content, type Row } from './pulled-folders';
import * as bed from './testbed';
import { done, testbed } from './testbed';

/** A user who publishes decks, and remixes of what that user published, whose source changes later. */

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

export interface Updated {
  status: string;
  version: number;
  source: { latest: number };
  files: Row[];
  left: string[];
}
export const update = (...args: string[]) => done<Updated>('remix', '--update', ...args);
export const lines = (...texts: string[]) => texts.map((text) => `${text}\n`).join('');

/** A listing whose version 1 has the files of `base`, and a folder with a remix of it. */
export async function aRemix(base: Content) {
  const { folder: origin } = await bed.aDeck({ ...PAGE, ...base }, publisher);
  const { slug } = await publisher.done<{ slug: string }>('publish', origin, '--description', 'x');
  const folder = aNewFolder();
  await done('remix', slug, folder);
  /** The source shows these files as its next version. */
  const publishNext = async (files: Content) => {
    await become(origin, { ...PAGE, ...files });
    await publisher.done('push', origin);
    await publisher.done('publish', origin);
  };
  return { folder, slug, publishNext };
}

export const base = {
  'a.txt': 'one',
  'both.txt': lines('1', '2', '3'),
  'gone.txt': 'x',
  'mine.txt': lines('1', '2', '3'),
};
export const next = {
  'a.txt': 'two',
  'both.txt': lines('ONE', '2', '3'),
  'new.txt': 'new',
  'mine.txt': lines('1', '2', 'THREE'),
};
