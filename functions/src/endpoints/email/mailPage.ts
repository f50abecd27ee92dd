import { z } from 'zod';
import { serviceSecret } from '../../config';
import { tokenId } from '../../contract/fields';
import { pageAnswer, pageErrorTypes } from '../../contract/file-answers';
import { stopNotices } from '../../decks/notice-stops';
import { fail } from '../../errors';
import { rawEndpoint } from '../../http/endpoint';
import { failInput } from '../../http/envelope';
import { sendMailPage, sendMailPageError } from '../../http/mail-pages';
import { pageSegments, query } from '../../http/request';
import { mailPage as render } from '../../pages/mail-page';
import { mailReportReasons } from '../../policy/mail-reports';
import { read } from '../../records/database';
import { openMailToken, readStops, setStops, type Stops } from '../../records/mail-recipients';
import { addMailReport } from '../../records/mail-reports';
import { organizationRef } from '../../records/organizations';
import { SERVICE_ID, type MailOrigin } from '../../values/mail-tokens';

const Input = z.object({
  token: z.string().meta({
    description: 'The token of the link. It names the recipient, the sender and the deck, and reveals no address.',
    example: 'x'.repeat(86),
  }),
  choice: z
    .enum(['sender', 'all', 'resume', 'report', 'link'])
    .default('sender')
    .meta({
      description:
        'sender: stop the mails of the organization that sent the mail. all: stop all mails that the recipient did ' +
        'not ask for. resume: take back the stop of the organization, and within 10 minutes the stop of all mails. ' +
        'report: report the mail. link: stop the mails to the owner about the link `tokenId`. A GET only shows the choice.',
    }),
  tokenId: tokenId.optional().meta({ description: 'Id of the link, for the choice `link`.' }),
  reason: z.enum(mailReportReasons).default('other').meta({ description: 'Reason of a report.', example: 'spam' }),
});
type Wish = Omit<z.output<typeof Input>, 'token'>;

/**
 * Mail programs unsubscribe with a POST that has no choice (RFC 8058). Scanners of mails fetch links, so a GET changes
 * nothing. Everything is in the URL: the body that a mail program sends is not read.
 */
export const mailPage = rawEndpoint({
  name: 'mailPage',
  about:
    'The page behind the links of a mail, at `{viewer_url}/mail/{token}`, for recipients without an account. A GET ' +
    'changes nothing. A POST does what `choice` says; without `choice` it stops the mails of the sender, as the one ' +
    'click of mail programs does (RFC 8058). The links of a mail do not expire.',
  input: Input,
  paths: { '': '/{token}' },
  answers: pageAnswer('The page, with the state after the request.'),
  errorTypes: pageErrorTypes,
  method: ['GET', 'HEAD', 'POST'],
  caller: 'anyone',
  errors: ['invalid-argument', 'not-found'],
  runtime: { class: 'read', secrets: [serviceSecret] },
  cost: { roundTrips: 1, reads: 2, writes: 0 },

  async handle({ request, response, now }) {
    const [token, ...rest] = pageSegments(request, 'mail');
    const origin = (token !== undefined && rest.length === 0 && (await openMailToken(token))) || fail('not-found');
    const parsed = Input.omit({ token: true }).safeParse(Object.fromEntries(query(request)));
    if (!parsed.success) return failInput(parsed.error, 'query');
    const { choice, tokenId: link } = parsed.data;
    const isChange = request.method === 'POST';
    const [[organization], { stops, notice }] = await Promise.all([
      read(organizationRef(origin.organizationId)),
      isChange
        ? fulfil(origin, parsed.data, now)
        : readStops(origin, now).then((found) => ({ stops: found, notice: null })),
    ]);
    const isOfService = origin.organizationId === SERVICE_ID;
    const organizationName = isOfService ? null : (organization?.name ?? 'An organization');
    const first = isChange || choice === 'resume' || (choice === 'link' && !link) ? 'sender' : choice;
    sendMailPage(
      response,
      request.method,
      200,
      render({ token: token!, organizationName, stops, choice: first, link, notice }),
    );
  },

  handleError: sendMailPageError,
});

/** Does what the recipient wants, and says what was done. Repeats change nothing. */
async function fulfil(
  origin: MailOrigin,
  { choice, reason, tokenId: link }: Wish,
  now: Date,
): Promise<{ stops: Stops; notice: string }> {
  if (choice === 'report' && origin.organizationId === SERVICE_ID) return fail('not-found');
  if (choice === 'report') {
    await addMailReport(origin, reason, now);
    return { stops: await readStops(origin, now), notice: 'Your report has been sent to the operator.' };
  }
  if (choice === 'link') {
    await stopNotices(origin, link ?? fail('not-found'));
    return { stops: await readStops(origin, now), notice: 'You will get no more emails about this link.' };
  }
  const stops = await setStops(origin, choice, now);
  const notice = {
    sender: 'You will get no more emails from this sender.',
    all: 'You will get no more emails that you did not ask for.',
    resume: stops.all ? 'Emails stay stopped.' : 'You will get emails again.',
  }[choice];
  return { stops, notice };
}
