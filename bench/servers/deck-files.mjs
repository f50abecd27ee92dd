// What the servers of the comparison know: the decks of a JSON file that the bench wrote, and their files on disk.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The folder with `decks.json` and, for each deck, a folder `<presentationId>` with its files. */
export const folder = process.argv[2];

export const decks = JSON.parse(readFileSync(join(folder, 'decks.json'), 'utf8'));
