import { makeZip } from 'client-zip';
import { storePart } from '../blobs/export-parts';
import { PART_BYTES, PART_FILES, partMsOf } from '../policy/account-exports';
import { recordPart, type AccountExport } from '../records/account-exports';
import { readPlace, writePlace, type Place } from './places';
import { walk, type Entry } from './walk';

/**
 * Makes the next part of an export, and records it. Returns the export with the part; undefined when another request
 * took the place of the export meanwhile. A part is one ZIP file, streamed to the bucket: its files are stored without
 * compression, because most files of decks are compressed. A run that is cut off has recorded nothing, so the next one
 * makes the same part again.
 */
export async function makePart(of: AccountExport): Promise<AccountExport | undefined> {
  let made: Made;
  const open = () => {
    made = { place: readPlace(of.place), isLast: false, progress: { ...of.progress } };
    return makeZip(filesOf(of, made)) as unknown as AsyncIterable<Uint8Array>;
  };
  const part = await storePart(of, open);
  const { place, isLast, progress } = made!;
  return recordPart(of, { part, place: writePlace(place), progress, isLast }, new Date());
}

/** What the files of a part that were taken amount to. */
interface Made {
  place: Place;
  isLast: boolean;
  progress: AccountExport['progress'];
}

async function* filesOf(of: AccountExport, made: Made) {
  const end = Date.now() + partMsOf(of.attempts - 1);
  const begin = writePlace(made.place);
  let bytes = 0;
  let files = 0;
  for await (const entry of walk(of, made.place)) {
    const sizeBytes = sizeOf(entry);
    // A file that is larger than a part has a part of its own.
    if (files > 0 && (files === PART_FILES || bytes + sizeBytes > PART_BYTES)) return;
    // Behind the first files of a deck the export begins with the deck again: such a part must go on.
    if (Date.now() > end && writePlace(made.place) !== begin) return;
    bytes += sizeBytes;
    files++;
    yield { name: entry.path, input: entry.bytes, lastModified: entry.changedAt };
    // The archive asks for the next file when it has taken this one.
    const { adds, next } = entry;
    const { progress } = made;
    made.progress = {
      decks: progress.decks + (adds.decks ?? 0),
      files: progress.files + (adds.files ?? 0),
      bytes: progress.bytes + (adds.bytes ?? 0),
    };
    made.place = next;
  }
  made.isLast = true;
}

const sizeOf = ({ bytes, adds }: Entry) =>
  typeof bytes === 'string' || bytes instanceof Uint8Array ? bytes.length : (adds.bytes ?? 0);
