import { config, resendApiKey, serviceSecret, serviceSecrets } from '../../config';
import { askForm, askMessage } from '../../contract/ask-input';
import { email as emailField } from '../../contract/fields';
import { pageErrorTypes } from '../../contract/file-answers';
import { mailAskerCode, proveAsker } from '../../decks/ask-for-access';
import { readBody } from '../../http/body';
import { rawEndpoint } from '../../http/endpoint';
import { failInput } from '../../http/envelope';
import { redirect } from '../../http/redirect';
import { clientAddress, onlySegments } from '../../http/request';
import { sendErrorPage } from '../../http/send-page';
import { noticePage } from '../../pages/notice-page';
import { noticeOf } from '../../pages/notice-words';
import { MAX_ASK_MESSAGE } from '../../values/ask-message';
import { askUrl } from '../../values/deck-origins';
import { readPageState, writePageState, type AskState } from '../../values/page-states';
import { KB } from '../../values/units';

const LIMIT_BYTES = 16 * KB;

/**
 * The browser sends the form to the address of the function: Hosting would hide the network address of the client, by
 * which requests are limited.
 */
export const askForAccess = rawEndpoint({
  name: 'askForAccess',
  about:
    'Receives the form of the page `{viewer_url}/share/ask/{label}`, on which a person without a link asks the owner of ' +
    'a deck for access. It mails a code to the address, stores the request when the code is right, and leads back to ' +
    'the page. Its answers do not depend on whether a deck has the label. A client has 10 codes mailed in an hour.',
  input: askForm,
  answers: {
    303: { description: '`Location` is the page with what comes next.', headers: ['Location', 'Cache-Control'] },
  },
  errorTypes: pageErrorTypes,
  method: 'POST',
  caller: 'anyone',
  limit: LIMIT_BYTES,
  errors: ['invalid-argument', 'not-found', 'rate-limited'],
  runtime: { class: 'mail', secrets: [serviceSecret, resendApiKey] },
  cost: { roundTrips: 7, reads: 6, writes: 7 },

  async handle({ request, response, now }) {
    onlySegments(request, 0);
    const fields = new URLSearchParams((await readBody(request, LIMIT_BYTES)).toString());
    const parsed = askForm.safeParse(Object.fromEntries([...fields].filter(([, value]) => value !== '')));
    if (!parsed.success) return failInput(parsed.error, 'body');
    const { label, gate, ...sent } = parsed.data;
    const before = gate === undefined ? undefined : readPageState(serviceSecrets.accepted(), 'ask', label, gate, now);
    const isLate = gate !== undefined && !before;
    const state = isLate ? lateState : await nextState(label, sent, before, clientAddress(request), now);
    const text = writePageState(serviceSecrets.current(), 'ask', label, state, now);
    response.setHeader('Referrer-Policy', 'no-referrer');
    const location = `${askUrl(config.viewerUrl(), label)}?gate=${text}`;
    redirect(response, { status: 303, location, cacheControl: 'no-store' });
  },

  handleError(error, call) {
    const html = noticePage.html(noticeOf('ask', error), call.requestId);
    sendErrorPage(call, error, { html, policy: noticePage.policy(), robots: 'noindex, nofollow' });
  },
});

const lateState: AskState = { step: 'form', email: '', message: '', wrong: 'late' };

/** Checks what was typed, and the code when the page asked for one. Without a code it mails a new one. */
async function nextState(
  label: string,
  sent: { email?: string | undefined; message?: string | undefined; code?: string | undefined },
  before: AskState | undefined,
  client: string,
  now: Date,
): Promise<AskState> {
  const typed = { email: sent.email ?? before?.email ?? '', message: sent.message ?? before?.message ?? '' };
  const kept = { ...typed, message: typed.message.toWellFormed().slice(0, 2 * MAX_ASK_MESSAGE) };
  const email = emailField.safeParse(typed.email);
  if (!email.success) return { ...kept, step: 'form', wrong: 'email' };
  const message = askMessage.safeParse(typed.message);
  if (!message.success) return { ...kept, step: 'form', wrong: 'message' };
  const ask = { label, email: email.data, clientAddress: client, now };
  const requestToken = before?.requestToken;
  if (sent.code === undefined || requestToken === undefined)
    return { ...kept, step: 'code', ...(await mailAskerCode(ask)) };
  const code = sent.code.replaceAll(/\s/g, '');
  const proved = await proveAsker(ask, { code, requestToken, message: message.data ?? null });
  return { ...kept, ...before, wrong: undefined, ...proved };
}
