import { CODE_TTL_SECONDS, type Purpose } from '../policy/codes';
import { code, heading, mailHtml, paragraph, small } from './layout';
import type { Mail } from './send';

const asks = {
  signup: { title: 'Your sign-up code', does: 'create your account' },
  login: { title: 'Your login code', does: 'log in' },
} as const;

const DIGITS =
  'padding:16px 8px;font-size:32px;line-height:40px;font-weight:600;letter-spacing:6px;text-indent:6px;text-align:center';

/** The mail with a one-time code of six digits. */
export function oneTimeCodeMail(to: string, purpose: Purpose, digits: string): Mail {
  const { title, does } = asks[purpose];
  const minutes = CODE_TTL_SECONDS / 60;
  const ignore = 'If you did not ask for it, ignore this mail: without the code nothing happens. Never pass it on.';
  return {
    to,
    subject: `${digits} is your ${purpose === 'signup' ? 'sign-up' : 'login'} code`,
    html: mailHtml(title, [
      heading(title),
      paragraph(`Enter this code to ${does}. It works once, for ${minutes} minutes.`),
      code(digits, DIGITS),
      small(ignore),
    ]),
    text: `${title}\n\n${digits}\n\nEnter this code to ${does}. It works once, for ${minutes} minutes.\n\n${ignore}\n`,
  };
}
