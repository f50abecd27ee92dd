import { seal, unseal } from './secrets';
import { shareUrl } from './share-tokens';
import { readSigned, writeSigned } from './signed';

/** What the gate of a link signs besides tickets and grants. Each names the link by its id, and reveals no share token. */

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

/** What a gate without scripts remembers between two of its pages. It is sealed: it has the address that was typed. */
export interface GateState {
  needs: string[];
  wrong?: string | undefined;
  attemptsRemaining?: number | undefined;
  requestToken?: string | undefined;
  email?: string | undefined;
  /** The id of the passcode that was proved. */
  provenPasscode?: string | undefined;
}

const STATE = 'gate-state';

export function writeGateState(secret: string, tokenId: string, state: GateState, now: Date): string {
  const expires = now.getTime() + TTL_SECONDS * 1000;
  return seal(secret, STATE, JSON.stringify({ ...state, expires }), tokenId);
}

/** The state of this link's gate. Undefined for any other text, and after 10 minutes. */
export function readGateState(
  secrets: readonly string[],
  tokenId: string,
  text: string,
  now: Date,
): GateState | undefined {
  try {
    const state = JSON.parse(unseal(secrets, STATE, text, tokenId)) as GateState & { expires: number };
    return state.expires > now.getTime() ? state : undefined;
  } catch {
    return undefined;
  }
}
