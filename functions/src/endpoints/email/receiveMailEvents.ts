import { resendApiKey, resendWebhookSecret, serviceSecret } from '../../config';
import { mailEvent } from '../../contract/mail-events';
import { bounceNotice, mailEventOf, recordMailEvent } from '../../decks/mail-events';
import { sendNotice } from '../../mail/send-notice';
import { fail } from '../../errors';
import { bodyLimitOf, readBody } from '../../http/body';
import { rawEndpoint } from '../../http/endpoint';
import { sendNothing } from '../../http/nothing';
import { parseObject } from '../../http/json';
import { header } from '../../http/request';
import { isOfProvider } from '../../mail/received';

export const receiveMailEvents = rawEndpoint({
  name: 'receiveMailEvents',
  about:
    'Takes what the mail provider Resend tells of a mail: that it arrived, was refused, or was reported as spam. The ' +
    'operator enters the address of this function as a webhook at Resend. A call needs the signature of Resend in the ' +
    'headers `svix-id`, `svix-timestamp` and `svix-signature`, at most 5 minutes old.',
  input: mailEvent,
  bodyType: 'application/json',
  answers: { 204: { description: 'The event is recorded, or is of no interest.', headers: ['Cache-Control'] } },
  method: 'POST',
  caller: 'anyone',
  errors: ['invalid-argument', 'unauthenticated', 'conflict'],
  runtime: { class: 'mail', secrets: [serviceSecret, resendApiKey, resendWebhookSecret] },
  cost: { roundTrips: 5, reads: 6, writes: 3 },

  async handle({ request, response, now }) {
    const body = await readBody(request, bodyLimitOf(receiveMailEvents.definition));
    const payload = body.toString();
    const named = (name: string) => header(request, `svix-${name}`) ?? '';
    const headers = { id: named('id'), timestamp: named('timestamp'), signature: named('signature') };
    if (!(await isOfProvider({ payload, headers }))) {
      const message = 'The call has no valid signature of the mail provider.';
      const nextAction = 'Compare RESEND_WEBHOOK_SECRET with the signing secret of the webhook at Resend.';
      fail('unauthenticated', undefined, { message, nextAction });
    }
    const event = mailEventOf(headers.id, parseObject(body));
    const outcome = event && (await recordMailEvent(event, now));
    if (outcome === 'early') {
      const message = 'The record of the mail is not written yet.';
      fail('conflict', undefined, { message, nextAction: 'Send the event again in a few seconds.' });
    }
    if (outcome && outcome !== 'recorded') {
      const notice = await bounceNotice(outcome, event, now);
      // When this fails, Resend sends the event again.
      if (notice) await sendNotice(notice, `bounced-${outcome.id}`);
    }
    sendNothing(response);
  },
});
