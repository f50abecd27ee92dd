import { isMac, mac } from './secrets';

const signatureOf = (secret: string, presentationId: string, tokenId: string) =>
  mac(secret, 'deck-picture', presentationId, tokenId);

/**
 * The end of the address of a deck's picture: the id of a share link, and a signature of the link. It opens the picture
 * of the deck while the link is open, and nothing else.
 */
export const writePictureLink = (secret: string, presentationId: string, tokenId: string) =>
  `${tokenId}.${signatureOf(secret, presentationId, tokenId)}`;

/** The id of the share link. Undefined for a text that none of the secrets signed for this deck. */
export function readPictureLink(secrets: readonly string[], presentationId: string, text: string): string | undefined {
  const [, tokenId = '', signature = ''] = /^([\w-]{1,64})\.([\da-f]{64})$/.exec(text) ?? [];
  if (!signature) return undefined;
  return isMac(signature, secrets, (secret) => signatureOf(secret, presentationId, tokenId)) ? tokenId : undefined;
}
