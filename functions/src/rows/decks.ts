import type { DeliveryFailure, MailState } from '../policy/mail-deliveries';
import { NEVER, revocationOf, tokenStateOf, type notifications } from '../policy/presentation-access';
import { iso, versionModeView } from './fields';

/** The rows of a deck and of what belongs to it. A parameter has the fields of a record that the row needs. */

interface DeckFields {
  presentationId: string;
  title: string;
  current: { version: number };
  createdAt: Date;
  updatedAt: Date;
  expiresAt: Date | null;
  activeLinks: number;
}

/** A deck without what depends on the caller, and without figures and addresses. */
export const deckView = (deck: DeckFields) => ({
  id: deck.presentationId,
  title: deck.title,
  version: deck.current.version,
  createdAt: deck.createdAt.toISOString(),
  updatedAt: deck.updatedAt.toISOString(),
  expiresAt: iso(deck.expiresAt),
  activeLinks: deck.activeLinks,
});

interface VersionFields {
  version: number;
  title: string;
  createdAt: Date;
  createdBy: string;
  message: string | null;
  restoredFrom: number | null;
  fileCount: number;
  totalBytes: number;
}

/** A version without its files. */
export function versionView(version: VersionFields) {
  const { title, createdBy, message, restoredFrom, fileCount, totalBytes } = version;
  return {
    version: version.version,
    title,
    createdAt: version.createdAt.toISOString(),
    createdBy,
    message,
    restoredFrom,
    fileCount,
    totalBytes,
  };
}

interface LinkFields {
  tokenId: string;
  name: string;
  pinned: { version: number } | null;
  createdAt: Date;
  revokedAt: Date | null;
  expiresAt: Date;
  passcode: object | null;
  maxOpenings: number | null;
  openings: number;
  readers: readonly string[] | null;
  notify: (typeof notifications)[number];
  isForRecipient: boolean;
}

/** What every member and an admin key may know of a link, besides its address and its figures. */
export function linkView(deck: { tokensRevokedAt: Date | null }, token: LinkFields) {
  const revokedAt = revocationOf(token, deck);
  return {
    tokenId: token.tokenId,
    name: token.name,
    versionMode: versionModeView(token.pinned),
    createdAt: token.createdAt.toISOString(),
    revoked: revokedAt !== null,
    revokedAt: iso(revokedAt),
    ...(token.isForRecipient && { isPersonal: true as const }),
  };
}

/** The rules of a link, which an admin key does not get. */
export const linkRulesView = (deck: { tokensRevokedAt: Date | null }, token: LinkFields, now: Date) => ({
  state: tokenStateOf(token, deck, now),
  expiresAt: iso(token.expiresAt < NEVER ? token.expiresAt : null),
  hasPasscode: token.passcode !== null,
  maxOpenings: token.maxOpenings,
  openings: token.openings,
  allowedEmailCount: token.readers?.length ?? null,
  notify: token.notify,
});

interface CollaboratorFields {
  collaboratorId: string;
  email: string;
  userId: string | null;
  displayName: string | null;
  isUnused: boolean;
  status: 'pending' | 'active' | 'revoked';
  invitedBy: string;
  invitedAt: Date;
  delivery: DeliveryFields | null;
  activatedAt: Date | null;
  revokedAt: Date | null;
}

export function collaboratorView(row: CollaboratorFields) {
  const { collaboratorId, email, status, invitedBy } = row;
  // An owner must not learn who an address belongs to by inviting it.
  const { userId, displayName } = row.isUnused ? { userId: null, displayName: null } : row;
  const times = {
    invitedAt: row.invitedAt.toISOString(),
    activatedAt: iso(row.activatedAt),
    revokedAt: iso(row.revokedAt),
  };
  const delivery = deliveryOf(row.delivery);
  return { collaboratorId, email, userId, displayName, role: 'dev' as const, status, invitedBy, delivery, ...times };
}

interface ViewFields {
  viewId: string;
  tokenId: string;
  email: string | null;
  emailIsProven: boolean;
  version: number;
  startedAt: Date;
  lastSeenAt: Date;
  seconds: number;
  slideCount: number | null;
  maxSlide: number;
  hasScript: boolean;
  device: 'desktop' | 'mobile' | 'tablet';
  language: string | null;
  referrerHost: string | null;
}

interface SlideFields {
  key: string;
  title: string;
  seconds: number;
  visits: number;
}

/** A view with its slides. */
export const viewView = (view: ViewFields, tokenName: string, slides: readonly SlideFields[]) => ({
  ...viewSummary(view, tokenName),
  slides: slides.map(({ key, title, seconds, visits }) => ({ key, title, seconds, visits })),
});

/** A view without its slides. */
export function viewSummary(view: ViewFields, tokenName: string) {
  const { viewId, tokenId, email, emailIsProven, version, seconds, slideCount, maxSlide } = view;
  const { hasScript, device, language, referrerHost } = view;
  const times = { startedAt: view.startedAt.toISOString(), lastSeenAt: view.lastSeenAt.toISOString() };
  const reader = { hasScript, device, language, referrerHost };
  const seen = { seconds, slideCount, maxSlide };
  return { viewId, tokenId, tokenName, email, emailIsProven, version, ...times, ...seen, ...reader };
}

interface EmailSendFields {
  sendId: string;
  presentationId: string;
  email: string;
  tokenId: string | null;
  subject: string;
  outcome: 'sent' | 'failed';
  code: DeliveryFailure | null;
  resendMessageId: string | null;
  sentBy: string;
  keyId: string;
  requestId: string;
  sentAt: Date;
}

interface DeliveryFields {
  state: MailState;
  at: Date;
  reason: string | null;
}

/** The record of a mail, and what the provider told of it last. */
const deliveryOf = (delivery: DeliveryFields | null) =>
  delivery && { state: delivery.state, at: delivery.at.toISOString(), reason: delivery.reason };

/** A row in an answer to `caller`: an admin key does not get what became of the mail. */
export function withDeliveryFor<Row extends { delivery: unknown }>(caller: { kind: string }, row: Row) {
  const { delivery: _delivery, ...rest } = row;
  return caller.kind === 'admin' ? rest : row;
}

export const emailSendView = (send: EmailSendFields, delivery: DeliveryFields | null) => ({
  ...send,
  sentAt: send.sentAt.toISOString(),
  delivery: deliveryOf(delivery),
});
