import { z } from 'zod';
import { config, resendApiKey, serviceSecret, serviceSecrets } from '../../config';
import { example } from '../../contract/example';
import { pageErrorTypes } from '../../contract/file-answers';
import { gateInput } from '../../contract/gate-input';
import { openAtGate, type GateAttempt, type GateOutcome } from '../../decks/open-gate';
import { ownHosts } from '../../decks/own-hosts';
import { recordOpening, visitorHeaders } from '../../decks/seen';
import { readBody } from '../../http/body';
import { rawEndpoint } from '../../http/endpoint';
import { failInput } from '../../http/envelope';
import { redirect } from '../../http/redirect';
import { clientAddress, onlySegments } from '../../http/request';
import { sendErrorPage } from '../../http/send-page';
import { noticePage } from '../../pages/notice-page';
import { noticeOf } from '../../pages/notice-words';
import { gateUrl, readGateToken } from '../../values/gate-tokens';
import { readPageState, writePageState } from '../../values/page-states';
import { digestsOf } from '../../values/share-tokens';
import { asksForPrivacy, otherHost } from '../../values/visitors';
import { KB } from '../../values/units';

const LIMIT_BYTES = 16 * KB;
const ROBOTS = 'noindex, nofollow';

/** A form sends each of its fields, also an empty one. */
const Form = gateInput
  .extend({
    gate: z
      .string()
      .max(2000)
      .optional()
      .meta({ description: 'What the page before has proved, sealed.', example: 'AbC…' }),
    from: z.string().max(100).optional().meta({
      description: 'Host of the page that led to the link.',
      example: 'mail.example.com',
    }),
    script: z.literal('1').optional().meta({
      description: 'Whether the browser runs scripts. Without it, the opening is recorded as a view.',
    }),
  })
  .meta({ example: { presentationId: example.deckId, token: example.token, passcode: example.passcode } });

/**
 * The browser sends the form to the address of the function: Hosting would hide the network address of the client, by
 * which attempts are limited.
 */
export const openSharePage = rawEndpoint({
  name: 'openSharePage',
  about:
    'Receives the form of the page at which a link asks who opens it. It leads to the deck, or back to the page. ' +
    'Programs use openShareLink.',
  input: Form,
  answers: {
    303: {
      description: '`Location` opens the deck, or is the page with what is missing.',
      headers: ['Location', 'Cache-Control'],
    },
  },
  errorTypes: pageErrorTypes,
  method: 'POST',
  caller: 'anyone',
  limit: LIMIT_BYTES,
  errors: [
    'invalid-argument',
    'EMAIL_REQUIRED',
    'EMAIL_INVALID',
    'permission-denied',
    'revoked',
    'not-found',
    'expired',
    'rate-limited',
  ],
  runtime: { class: 'mail', secrets: [serviceSecret, resendApiKey] },
  cost: { roundTrips: 12, reads: 12, writes: 10 },

  async handle({ context, request, response, now }) {
    onlySegments(request, 0);
    const form = new URLSearchParams((await readBody(request, LIMIT_BYTES)).toString());
    const parsed = Form.safeParse(Object.fromEntries([...form].filter(([, value]) => value !== '')));
    if (!parsed.success) return failInput(parsed.error, 'body');
    const { gate, from: host = '', script, ...sent } = parsed.data;
    const headers = visitorHeaders(request);
    const from = otherHost(host, ownHosts());
    const attempt = { ...remembered(sent, gate, now), ...sent };
    const visitor = { from, isPrivate: asksForPrivacy(headers) };
    const outcome = await openAtGate({ attempt, visitor, clientAddress: clientAddress(request), now });
    if ('grant' in outcome && script === undefined) {
      await recordOpening(context, { grant: outcome.grant, grantedAt: now, headers, now });
    }
    const location = 'openUrl' in outcome ? outcome.openUrl : gateAddress(attempt, outcome, from, now);
    response.setHeader('Referrer-Policy', 'no-referrer');
    redirect(response, { status: 303, location, cacheControl: 'no-store' });
  },

  handleError(error, call) {
    const html = noticePage.html(noticeOf('deck', error), call.requestId);
    sendErrorPage(call, error, { html, policy: noticePage.policy(), robots: ROBOTS });
  },
});

/** What the page before has proved or asked for. */
function remembered({ token, again }: GateAttempt, gate: string | undefined, now: Date): Partial<GateAttempt> {
  if (gate === undefined) return {};
  const secrets = serviceSecrets.accepted();
  const tokenId =
    token === undefined ? readGateToken(secrets, 'again', again ?? '', now)?.tokenId : digestsOf(token).tokenId;
  const { email, requestToken, provenPasscode } = (tokenId && readPageState(secrets, 'gate', tokenId, gate, now)) || {};
  return { email, requestToken, provenPasscode };
}

/** The page of the gate, with what is missing. */
function gateAddress(
  { presentationId, token, again, email }: GateAttempt,
  { refusal, link }: Extract<GateOutcome, { refusal: unknown }>,
  from: string | undefined,
  now: Date,
): string {
  const state = writePageState(serviceSecrets.current(), 'gate', link.token.tokenId, { ...refusal, email, from }, now);
  // A gate is reached with one of the two.
  const page = gateUrl(config.viewerUrl(), presentationId, token === undefined ? { again: again! } : { token });
  return `${page}${page.includes('?') ? '&' : '?'}gate=${state}`;
}
