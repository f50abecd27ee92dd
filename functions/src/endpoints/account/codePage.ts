import { z } from 'zod';
import { serviceSecret } from '../../config';
import { pageAnswer, pageErrorTypes } from '../../contract/file-answers';
import { fail } from '../../errors';
import { rawEndpoint } from '../../http/endpoint';
import { failInput } from '../../http/envelope';
import { sendMailPage, sendMailPageError } from '../../http/mail-pages';
import { pageSegments, query } from '../../http/request';
import { codeChoices, codePage as render } from '../../pages/code-page';
import { addressOfCodeLink, findCodeStop, setCodeStop } from '../../records/code-stops';

const Input = z.object({
  token: z.string().meta({
    description: 'The token of the link. It names the address of the mail and does not reveal it.',
    example: 'x'.repeat(86),
  }),
  choice: z
    .enum(codeChoices)
    .default('stop')
    .meta({
      description:
        'stop: mail no codes for devices that have not signed in before, for 24 hours or until the next sign-in. ' +
        'resume: mail them again. A GET changes nothing.',
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
    'The page behind the link of a mail with a code, at `{viewer_url}/codes/{token}`. It stops codes for devices that ' +
    'have not signed in before, whose requests are then answered as if a mail had gone. A GET changes nothing. The ' +
    'link works for 24 hours.',
  input: Input,
  paths: { '': '/{token}' },
  answers: pageAnswer('The page, with the state after the request.'),
  errorTypes: pageErrorTypes,
  method: ['GET', 'HEAD', 'POST'],
  caller: 'anyone',
  errors: ['invalid-argument', 'not-found', 'expired'],
  runtime: { class: 'read', secrets: [serviceSecret] },
  cost: { roundTrips: 1, reads: 1, writes: 0 },

  async handle({ request, response, now }) {
    const [token, ...rest] = pageSegments(request, 'codes');
    if (token === undefined || rest.length > 0) return fail('not-found');
    const email = addressOfCodeLink(token, now);
    const parsed = Input.omit({ token: true }).safeParse(Object.fromEntries(query(request)));
    if (!parsed.success) return failInput(parsed.error, 'query');
    const { choice } = parsed.data;
    const isChange = request.method === 'POST';
    const stoppedUntil = isChange ? await setCodeStop(email, choice === 'stop', now) : await findCodeStop(email, now);
    const html = render({ token, stoppedUntil, notice: isChange ? notices[choice] : null });
    sendMailPage(response, request.method, 200, html);
  },

  handleError: sendMailPageError,
});
