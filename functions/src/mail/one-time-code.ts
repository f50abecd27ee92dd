import { CODE_TTL_SECONDS, type Purpose } from '../policy/codes';
import { heading, mailHtml, paragraph, small } from './layout';
import type { Mail } from './send';

const asks = {
  signup: { title: 'Your sign-up code', does: 'create your account' },
  login: { title: 'Your login code', does: 'log in' },
} as const;

/** The mail with a one-time code; `code` is six digits. */
export function oneTimeCodeMail(to: string, purpose: Purpose, code: string): Mail {
  const { title, does } = asks[purpose];
  const minutes = CODE_TTL_SECONDS / 60;
  const ignore = 'If you did not ask for it, ignore this mail: without the code nothing happens. Never pass it on.';
  return {
    to,
    subject: `${code} is your ${purpose === 'signup' ? 'sign-up' : 'login'} code`,
    html: mailHtml(
      title,
      [
        heading(title),
        paragraph(`Enter this code to ${does}. It works once, for ${minutes} minutes.`),
        `<p class="code" style="margin:0 0 20px;padding:16px 8px;border:1px solid #e2e5ea;border-radius:8px;background:#f8f9fb;font-family:ui-monospace,Menlo,Consolas,monospace;font-size:32px;line-height:40px;font-weight:600;letter-spacing:6px;text-align:center;color:#1b1f27">${code}</p>`,
        small(ignore),
      ].join('\n'),
    ),
    text: `${title}\n\n${code}\n\nEnter this code to ${does}. It works once, for ${minutes} minutes.\n\n${ignore}\n`,
  };
}
