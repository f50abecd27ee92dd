import { z } from 'zod';
import { endAccessTakenBack } from '../../accounts/address-changes';
import { serviceSecret } from '../../config';
import { pageAnswer, pageErrorTypes } from '../../contract/file-answers';
import { fail } from '../../errors';
import { rawEndpoint } from '../../http/endpoint';
import { failInput } from '../../http/envelope';
import { sendMailPage, sendMailPageError } from '../../http/mail-pages';
import { pageSegments, query } from '../../http/request';
import { codeChoices, codePage as render } from '../../pages/code-page';
import { takeBackPage } from '../../pages/take-back-page';
import { openTakeBackToken, readChange, takeBack } from '../../records/address-changes';
import { addressOfCodeLink, findCodeStop, setCodeStop } from '../../records/code-stops';

const Input = z.object({
  token: z.string().meta({
    description: 'The token of the link. It names the address or the change of the mail, and reveals nothing.',
    example: 'x'.repeat(86),
  }),
  choice: z
    .enum(codeChoices)
    .default('stop')
    .meta({
      description:
        'stop: mail no codes for devices that have not signed in before, for 24 hours or until the next sign-in. ' +
        'resume: mail them again. A link that takes a change of address back has no choice. A GET changes nothing.',
    }),
});

const notices = {
  stop: 'We have stopped sending codes for new devices.',
  resume: 'We are sending codes again.',
};

/** Scanners of mails fetch links, so a GET changes nothing. Everything is in the URL: no body is read. */
export const codePage = rawEndpoint({
  name: 'codePage',
  about:
    'The page behind the link of a mail with a code, at `{viewer_url}/codes/{token}`. For 24 hours it stops codes for ' +
    'devices that have not signed in before, whose requests are then answered as if a mail had gone. The link of the ' +
    'mail to a former address works for 7 days: a POST gives the account that address back, ends all its sessions and ' +
    'keys, and disables its webhooks. A GET changes nothing.',
  input: Input,
  paths: { '': '/{token}' },
  answers: pageAnswer('The page, with the state after the request.'),
  errorTypes: pageErrorTypes,
  method: ['GET', 'HEAD', 'POST'],
  caller: 'anyone',
  errors: ['invalid-argument', 'not-found', 'conflict', 'expired'],
  runtime: { class: 'read', secrets: [serviceSecret] },
  cost: { roundTrips: 1, reads: 1, writes: 0 },

  async handle({ request, response, now }) {
    const [token, ...rest] = pageSegments(request, 'codes');
    if (token === undefined || rest.length > 0) return fail('not-found');
    const isChange = request.method === 'POST';
    const change = openTakeBackToken(token);
    if (change) {
      if (isChange) await endAccessTakenBack(await takeBack(change, now), now);
      const { isTakenBack } = await readChange(change, now);
      return sendMailPage(response, request.method, 200, takeBackPage({ token, isTakenBack }));
    }
    const email = addressOfCodeLink(token, now);
    const parsed = Input.omit({ token: true }).safeParse(Object.fromEntries(query(request)));
    if (!parsed.success) return failInput(parsed.error, 'query');
    const { choice } = parsed.data;
    const stoppedUntil = isChange ? await setCodeStop(email, choice === 'stop', now) : await findCodeStop(email, now);
    const html = render({ token, stoppedUntil, notice: isChange ? notices[choice] : null });
    sendMailPage(response, request.method, 200, html);
  },

  handleError: sendMailPageError,
});
