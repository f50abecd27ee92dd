import { computer, testbed } from './testbed';

/** Folders of many files, whose push is interrupted. */

/** How many forms with files were sent. */
export const uploads = () => testbed.proxy.calls['uploadPresentationAssets'];

/** A folder with so many files, each padded to `size` bytes. A form holds at most 8 MB of them. */
export const aFolder = (files: number, size = 0) =>
  testbed.aFolder(
    Object.fromEntries([
      ['index.html', `<title>${Math.random()}</title>`],
      ...Array.from({ length: files - 1 }, (_, i) => [`${i}.txt`, `file ${i}`.padEnd(size)] as const),
    ]),
  );

export const stoppedPush = async (folder: string, at: Parameters<typeof computer.stoppedAt>[0]) =>
  computer.stoppedAt(at, ['push', folder, '--json']);
