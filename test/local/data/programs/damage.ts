import { createHash } from 'node:crypto';
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { AccountStore } from '../../../../local/auth/store';
import { checkDataFolder } from '../../../../local/check';
import { DamagedData } from '../../../../local/data/errors';
import { assertComplete, assertUndamaged } from '../../../../local/data/folder';
import { Store as FirestoreStore } from '../../../../local/firestore/store';
import { MailStore } from '../../../../local/mail/store';
import { Blobs } from '../../../../local/storage/blobs';
import { Store as StorageStore } from '../../../../local/storage/store';

/**
 * Damages copies of a data folder: `damage <data folder> <folder for the copies> <first seed> <seeds>`. Opens each copy
 * as a start does, reads everything, and writes. Prints what happened to each seed as a line of JSON. A crash ends the
 * process.
 */
export interface Outcome {
  seed: number;
  change: string;
  /** Whether the stores refused the folder, with which sentence, or have the same contents as before the damage. */
  start: 'refused' | 'same' | 'different';
  sentence: string;
  /** Whether the full check found damage. */
  isReported: boolean;
}

type Random = (below: number) => number;

function randomOf(seed: number): Random {
  let count = 0;
  return (below) => createHash('sha256').update(`${seed} ${count++}`).digest().readUIntBE(0, 6) % below;
}

function filesUnder(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory() ? filesUnder(join(folder, entry.name)) : [join(folder, entry.name)],
  );
}

/** Changes one file of the folder. Returns what was done. */
function damage(folder: string, random: Random): string {
  const files = filesUnder(folder).sort();
  const data = files.filter((file) => file.endsWith('data.mdb'));
  const file = random(4) > 0 ? data[random(data.length)]! : files[random(files.length)]!;
  const bytes = readFileSync(file);
  const size = Math.max(1, bytes.length);
  // Half of the changes are in the header pages and the first pages of the file.
  const at = random(random(2) === 0 ? size : Math.min(size, 32_768));
  const kinds: [string, () => void][] = [
    ['flip', () => void (bytes[at]! ^= 1 << random(8))],
    ['flip twice', () => [at, random(size)].forEach((each) => void (bytes[each]! ^= 1 << random(8)))],
    ['zeros', () => void bytes.fill(0, at, Math.min(size, at + 1 + random(9000)))],
    ['noise', () => void createHash('sha512').update(String(at)).digest().copy(bytes, at)],
    ['old page', () => void bytes.copy(bytes, at - (at % 4096), random(size) & ~4095, (random(size) & ~4095) + 4096)],
  ];
  const [name, change] = kinds[random(kinds.length + 4)] ?? [];
  if (change) {
    change();
    writeFileSync(file, bytes);
    return `${name} at ${at} of ${file.slice(folder.length)}`;
  }
  const whole = ['truncated', 'empty', 'all zeros', 'missing', 'foreign'][random(5)]!;
  if (whole === 'truncated') truncateSync(file, random(size));
  else if (whole === 'empty') truncateSync(file, 0);
  else if (whole === 'all zeros') writeFileSync(file, Buffer.alloc(size));
  else if (whole === 'missing') rmSync(file);
  else writeFileSync(file, 'SQLite format 3\0'.repeat(1000));
  return `${whole} at ${statSync(file, { throwIfNoEntry: false })?.size} of ${file.slice(folder.length)}`;
}

/** Opens every store, hashes all that it contains, and writes to it. Throws when a store refuses its file. */
async function contentsOf(folder: string, isWriting: boolean): Promise<string> {
  const hash = createHash('sha256');
  const add = (value: unknown) => void hash.update(JSON.stringify(value));
  const open: { close(): Promise<void> }[] = [];
  const opened = <S extends { close(): Promise<void> }>(store: S): S => {
    open.push(store);
    return store;
  };
  try {
    assertComplete(folder);
    await assertUndamaged(folder);
    const firestore = opened(new FirestoreStore(folder, undefined, true));
    const prefix = Buffer.alloc(0);
    const all = { low: { prefix, after: false }, high: { prefix, after: true }, reverse: false };
    const documents = [...firestore.latest().documentKeys(all)].map((key) => firestore.latest().document(key)!);
    for (const document of documents) add([document.name, document.fields, document.updateTime, document.createTime]);
    for (const { key, value } of firestore.latest().indexEntries(all))
      add([key.toString('hex'), value.toString('hex')]);
    const storage = opened(new StorageStore(join(folder, 'storage', 'metadata'), true));
    const blobs = await Blobs.open(join(folder, 'storage', 'blobs'), true);
    await blobs.sweep(await storage.filesInUse());
    for (const object of storage.objects()) add([object, (await blobs.digest(object.file)).hashes()]);
    const auth = opened(new AccountStore(join(folder, 'auth'), true));
    for (const account of auth.page(undefined, 1e6)) add([account, auth.findByEmail(account.email ?? '')]);
    const mail = opened(new MailStore(join(folder, 'mail'), true));
    for (const message of mail.list(1e6)) add([message, mail.find(message.id)]);
    for (let i = 0; isWriting && i < 3; i++) {
      firestore.transact(() =>
        firestore.apply(
          documents.slice(i * 20).map((each) => ({
            change: { key: each.key, before: each, after: each },
            entries: firestore.entriesOf(each),
          })),
          firestore.clock.commitTime(),
        ),
      );
      await auth.put({ localId: `new-${i}`, createdAt: '1', displayName: 'x'.repeat(5000) });
    }
  } finally {
    for (const store of open) await store.close();
  }
  return hash.digest('hex');
}

async function outcomeOf(template: string, folder: string, seed: number, expected: string): Promise<Outcome> {
  rmSync(folder, { recursive: true, force: true });
  cpSync(template, folder, { recursive: true });
  const change = damage(folder, randomOf(seed));
  const { damage: reported } = await checkDataFolder(folder);
  const outcome = { seed, change, sentence: '', isReported: reported.length > 0 };
  try {
    return { ...outcome, start: (await contentsOf(folder, true)) === expected ? 'same' : 'different' };
  } catch (error) {
    if (!(error instanceof DamagedData)) throw new Error(`Seed ${seed}, ${change}: ${String(error)}`, { cause: error });
    return { ...outcome, start: 'refused', sentence: error.message };
  }
}

async function main(): Promise<void> {
  const [template = '', copies = '', first = '', count = ''] = process.argv.slice(2);
  const expected = await contentsOf(template, false);
  for (let seed = Number(first); seed < Number(first) + Number(count); seed++) {
    // LMDB opens a path once in a process, so each copy has a path of its own.
    const folder = join(copies, String(seed));
    process.stdout.write(`${JSON.stringify(await outcomeOf(template, folder, seed, expected))}\n`);
    if (existsSync(folder)) rmSync(folder, { recursive: true });
  }
}

void main();
