import { aNewFolder, become, PAGE, type Content, type Row } from './pulled-folders';
import { publisher } from './publisher';
import * as bed from './testbed';
import { done } from './testbed';

/** Remixes whose source has changed. */

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
