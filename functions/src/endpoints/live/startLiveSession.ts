import { z } from 'zod';
import { serviceSecret, serviceSecrets } from '../../config';
import { example } from '../../contract/example';
import { presentationId, tokenId } from '../../contract/fields';
import { liveExpiry, liveId } from '../../contract/live-fields';
import { assertToken } from '../../decks/link-changes';
import { fail } from '../../errors';
import { asMember } from '../../http/caller';
import { endpoint } from '../../http/endpoint';
import { isLive, isRunning } from '../../policy/live';
import { planCaps } from '../../policy/plans';
import { isClosed, owns, tokenStateOf } from '../../policy/presentation-access';
import { readIn, refIf, type Transaction } from '../../records/database';
import { gateOf, liveSessionRef, startLive, type LiveSession } from '../../records/live-sessions';
import { organizationRef } from '../../records/organizations';
import { presentationRef, type Presentation } from '../../records/presentations';
import { addLink, findOpenLink } from '../../records/share-links';
import { openRules, shareTokenRef, shareUrlOf, shownLink, type ShareToken } from '../../records/share-tokens';
import { writeLiveTicket } from '../../values/live-tickets';

export const Input = z.object({
  presentationId,
  tokenId: tokenId.optional().meta({
    description:
      'Id of the link whose readers follow. Without it the first open link that shows the latest version is taken, and ' +
      'a new one is made where there is none; only the owner may leave it out.',
    example: example.tokenId,
  }),
});

export const Answer = z.object({
  liveId,
  tokenId: tokenId.meta({ description: 'Id of the link whose readers follow.' }),
  presenterUrl: z.url().meta({
    description:
      'Address for whoever presents. What follows `#present=` is the ticket for moveLiveSession and followLiveSession: ' +
      'keep it secret.',
    example: `${example.shareUrl}#present=eyJvZiI6e30`,
  }),
  audienceUrl: z.url().meta({ description: 'Address of the link, for the audience.', example: example.shareUrl }),
  expiresAt: liveExpiry,
});

export const startLiveSession = endpoint({
  name: 'startLiveSession',
  about:
    'Starts a live session: the decks that readers opened by a link follow the slides of the presenter. A repeated ' +
    'call returns the session that runs. The session ends after 8 hours, and when its link expires, is revoked or ' +
    'gets other rules. Where the session of another link runs, or the link opens nothing, the call answers 409.',
  method: 'POST',
  caller: { scope: 'presentations:write', deck: 'member' },
  input: Input,
  answer: Answer,
  isIdempotent: true,
  errors: ['not-found', 'conflict'],
  runtime: { secrets: [serviceSecret] },
  cost: { roundTrips: 5, reads: 6, writes: 4 },

  async handle({ input: { presentationId: id, tokenId: wanted }, authorize, idempotency, now, ...call }) {
    const caller = asMember(call.caller);
    const started = await idempotency.run(
      async (tx) => {
        const [found, last] = await readIn(tx, presentationRef(id), liveSessionRef(id));
        const deck = authorize(found);
        const running = isRunning(last, now) ? last : undefined;
        const ref = (of: string) => shareTokenRef(id, of);
        const best = shownLink(deck.latestTokens, now);
        const shown = best?.isPersonal ? undefined : best?.tokenId;
        const [current, chosen, organization] = await readIn(
          tx,
          refIf(ref, running?.tokenId),
          refIf(ref, wanted ?? shown),
          organizationRef(deck.organizationId),
        );
        if (!wanted && !owns(caller, deck)) failUnnamed();
        const link = { deck, token: current, gate: current && gateOf(current) };
        if (isLive(running, link, now)) {
          if (wanted && wanted !== running.tokenId) failOther();
          return startedOf(running, current!);
        }
        if (isClosed(deck, now)) failClosed();
        const token = wanted
          ? openToken(deck, chosen, now)
          : await openOrNew(tx, deck, { shown: chosen, by: caller.userId, now });
        const { liveFollowers: maxFollowers } = planCaps[organization?.plan ?? 'free'];
        return startedOf(startLive(tx, deck, token, { by: caller.userId, maxFollowers, now }), token);
      },
      (answer) => answer,
    );
    // The ticket is not stored: also a repeated call gets one.
    const ticket = { presentationId: id, ...started, until: new Date(started.expiresAt) };
    const secret = writeLiveTicket(serviceSecrets.current(), 'presenter', ticket, now);
    return { ...started, presenterUrl: `${started.audienceUrl}#present=${secret}` };
  },
});

/** The answer without what a ticket opens. */
function startedOf(session: LiveSession, token: ShareToken) {
  const audienceUrl = shareUrlOf(session.presentationId, token) ?? failClosed();
  const expiresAt = session.expiresAt.toISOString();
  return { liveId: session.liveId, tokenId: session.tokenId, audienceUrl, expiresAt };
}

/** The link that the caller names. */
function openToken(deck: Presentation, chosen: ShareToken | undefined, now: Date): ShareToken {
  const token = assertToken(chosen);
  return tokenStateOf(token, deck, now) === 'open' ? token : failClosed();
}

/** The first open link: mostly that which the deck shows. Without one a new link. */
async function openOrNew(
  tx: Transaction,
  deck: Presentation,
  { shown, by, now }: { shown: ShareToken | undefined; by: string; now: Date },
): Promise<ShareToken> {
  if (shown && tokenStateOf(shown, deck, now) === 'open') return shown;
  const found = await findOpenLink(tx, deck, now);
  return found ?? addLink(tx, deck, { name: 'Live', pinned: null, rules: openRules, createdBy: by }, now).created;
}

const failUnnamed = (): never =>
  fail('permission-denied', undefined, {
    message: 'Only the owner of the deck may present without naming a link.',
    nextAction: 'Send the tokenId of an open link.',
  });

const failOther = (): never =>
  fail('conflict', undefined, {
    message: 'A live session of another link runs.',
    nextAction: 'End it, then try again.',
  });

const failClosed = (): never =>
  fail('conflict', undefined, { message: 'The link opens nothing.', nextAction: 'Choose an open link.' });
