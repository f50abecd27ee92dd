import { sha256 as hashOf } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import { makeZip } from 'client-zip';
import { Failure } from '../failure';
import { withoutInvisible } from '../folder/paths';
import { isDrawn } from '../push/drawn-picture';
import { sumFiles, type Amount } from '../pushed-file';
import type { Contract } from '../service/contract';
import type { DeckService } from '../service/service';

const PIECE_BYTES = 8 * 1024 * 1024;

/** A version of a deck that a page downloads. */
export interface ZipRequest {
  presentationId: string;
  version: number | 'latest';
  /** Called with the number of bytes more that were downloaded. */
  onBytes?: ((bytes: number) => void) | undefined;
  signal?: AbortSignal | undefined;
}

export interface Zip {
  title: string;
  version: number;
  /** The files in the archive, and their bytes. */
  amount: Amount;
  /** The archive. It downloads the files while it is read, and checks their hashes. */
  stream: ReadableStream<Uint8Array>;
}

const isHidden = (path: string) => path.split('/').some((segment) => withoutInvisible(segment).startsWith('.'));

type Row = Contract['getPresentationVersion']['answer']['files'][number];

/**
 * A version of a deck as a zip archive, without the picture that a push drew and without hidden files, which a program
 * may take for its own. The files are not compressed.
 */
export async function zipOf(service: DeckService, request: ZipRequest): Promise<Zip> {
  const { presentationId, version: wanted, signal } = request;
  const query = { presentationId, version: String(wanted) };
  const { files, title, version, createdAt } = await service.get('getPresentationVersion', query, { signal });
  const rows = files.filter((row) => !isDrawn(row) && !isHidden(row.path));
  const contents = rows.map((row) => ({
    name: row.path,
    size: row.size,
    lastModified: new Date(createdAt),
    input: contentOf(service, { ...request, version }, row),
  }));
  const amount = sumFiles(rows.map(({ size }) => ({ sizeBytes: size })));
  return { title, version, amount, stream: makeZip(contents) };
}

async function* contentOf(
  service: DeckService,
  { presentationId, version, onBytes, signal }: ZipRequest & { version: number },
  { path, sha256, size }: Row,
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const hash = hashOf.create();
  let position = 0;
  while (position < size) {
    const to = Math.min(size, position + PIECE_BYTES) - 1;
    const query = { presentationId, version: String(version), sha256 };
    const piece = await service.getBytes(query, { from: position, to }, signal);
    hash.update(piece);
    position += piece.length;
    onBytes?.(piece.length);
    yield piece as Uint8Array<ArrayBuffer>;
  }
  if (bytesToHex(hash.digest()) === sha256) return;
  throw new Failure(`${path} differs from the file in the deck.`, {
    code: 'hash-mismatch',
    nextAction: 'Download again.',
    details: { path },
  });
}
