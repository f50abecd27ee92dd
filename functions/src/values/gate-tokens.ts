import { shareUrl } from './share-tokens';
import { readSigned, writeSigned } from './signed';

/**
 * What the gate of a link signs besides tickets, grants and states of pages. Each names the link by its id, and reveals
 * no share token.
 */

interface LinkId {
  presentationId: string;
  tokenId: string;
}

interface Signed extends LinkId {
  /** In seconds. */
  expires: number;
}

/**
 * `again` stands in place of the share token for a reader whose grant has ended. `own` tells that the owner or a dev of
 * the deck stands at the gate.
 */
const purposes = { again: 'gate-again', own: 'gate-own' } as const;
type Kind = keyof typeof purposes;

const TTL_SECONDS = 600;

export function writeGateToken(secret: string, kind: Kind, { presentationId, tokenId }: LinkId, now: Date): string {
  const expires = Math.floor(now.getTime() / 1000) + TTL_SECONDS;
  return writeSigned(secret, purposes[kind], { presentationId, tokenId, expires } satisfies Signed);
}

/** The link of such a text. Undefined for one that none of the secrets signed for this use, and for an expired one. */
export function readGateToken(secrets: readonly string[], kind: Kind, text: string, now: Date): LinkId | undefined {
  const signed = readSigned<Signed>(secrets, purposes[kind], text);
  if (!signed || signed.expires * 1000 <= now.getTime()) return undefined;
  return { presentationId: signed.presentationId, tokenId: signed.tokenId };
}

/** `{viewer_url}/share/<presentationId>/again/<again>` */
export const againUrl = (viewerUrl: string, presentationId: string, again: string) =>
  `${viewerUrl}/share/${presentationId}/again/${again}`;

/** The address of the gate of a link, without its state. */
export const gateUrl = (viewerUrl: string, presentationId: string, link: { token: string } | { again: string }) =>
  'token' in link ? shareUrl(viewerUrl, presentationId, link.token) : againUrl(viewerUrl, presentationId, link.again);
