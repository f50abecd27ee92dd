import { mkdir, readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { testbed } from './testbed';

/** Decks that are made of a PDF or of pictures. */

export const pages = [{ heading: 'Opening', lines: ['Welcome'] }, { heading: 'Numbers' }];

/** The temporary files of decks that were made. */
export const unfinished = async () => (await readdir(tmpdir())).filter((name) => name.startsWith('deck-made-'));

/** Gives the tests of a file their own folder of temporary files, because other tests may make such decks too. */
export function withTemporaryFolder(): void {
  const { TMPDIR } = process.env;
  beforeAll(async () => {
    process.env['TMPDIR'] = join(testbed.folder, 'temporary');
    await mkdir(process.env['TMPDIR']);
  });
  afterAll(() => {
    if (TMPDIR === undefined) delete process.env['TMPDIR'];
    else process.env['TMPDIR'] = TMPDIR;
  });
}
