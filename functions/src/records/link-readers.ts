import { z } from 'zod';
import { hashesOfRules } from '../values/link-readers';
import { collection, paths } from './collections';
import type { Transaction } from './database';

/**
 * The addresses and `@domain`s that a link admits, as its owner wrote them. The token has their hashes: a request of a
 * viewer reads no list, and it compares no address.
 */
export const linkReaders = z.object({ emails: z.array(z.string()) });

export const linkReadersRef = (presentationId: string, tokenId: string) =>
  collection(paths.linkReaders(presentationId), linkReaders).doc(tokenId);

/** The readers that an owner admits. `key` is that of records/recipient-key. */
export interface AdmittedReaders {
  emails: readonly string[];
  key: string;
}

/** The hashes of the list, which its token has. */
export const hashesOf = ({ emails, key }: AdmittedReaders, tokenId: string): string[] =>
  hashesOfRules(key, tokenId, emails);

/** Stores the list of a token, or deletes it. */
export function storeReaders(
  tx: Transaction,
  presentationId: string,
  tokenId: string,
  admitted: AdmittedReaders | null,
): void {
  const ref = linkReadersRef(presentationId, tokenId);
  if (admitted) tx.set(ref, { emails: [...admitted.emails] });
  else tx.delete(ref);
}
