import { Uint8ArrayReader, Uint8ArrayWriter, ZipReader, type FileEntry } from '@zip.js/zip.js';
import { accountExportRef, createExport, type AccountExport } from '../../functions/src/records/account-exports';
import { read } from '../../functions/src/records/database';
import { transact } from '../../functions/src/records/transact';
import { runJob } from './jobs';
import { bucket } from './whole-store';
import { sha256, type Account } from './world';

/** The files of a ZIP file by their paths. */
export async function unzip(bytes: Uint8Array): Promise<Map<string, Buffer>> {
  const reader = new ZipReader(new Uint8ArrayReader(bytes), { useWebWorkers: false, checkSignature: true });
  const files = new Map<string, Buffer>();
  for (const entry of await reader.getEntries()) {
    files.set(entry.filename, Buffer.from(await (entry as FileEntry).getData(new Uint8ArrayWriter())));
  }
  await reader.close();
  return files;
}

/** Asks for an export as the endpoint does. */
export const askForExport = ({ organizationId, userId }: Account, now = new Date()): Promise<AccountExport> =>
  transact((tx) => Promise.resolve(createExport(tx, { organizationId, requestedBy: userId, decks: 1 }, now)));

export const exportOf = async ({ organizationId }: Account): Promise<AccountExport | undefined> =>
  (await read(accountExportRef(organizationId)))[0];

/** The bytes of all parts, which have the recorded sizes and checksums. */
export async function partsOf(account: Account): Promise<Buffer[]> {
  const { parts } = (await exportOf(account))!;
  return Promise.all(
    parts.map(async (part) => {
      const [bytes] = await bucket().file(part.objectName).download();
      expect([bytes.length, sha256(bytes)]).toEqual([part.sizeBytes, part.sha256]);
      return bytes;
    }),
  );
}

/** The files of a whole export. */
export async function exportedFiles(account: Account): Promise<Map<string, Buffer>> {
  const parts = await Promise.all((await partsOf(account)).map(unzip));
  return new Map(parts.flatMap((files) => [...files]));
}

/** Asks for an export, and lets the job make it. */
export async function anExport(account: Account): Promise<Map<string, Buffer>> {
  await askForExport(account);
  await runJob('exportAccounts');
  return exportedFiles(account);
}
