import { renderPage } from '../house/render';
import { CODE_TTL_SECONDS, type Purpose } from '../policy/codes';
import { Code, Heading, MailPage, Paragraph, signature, Small } from './layout';
import type { Mail } from './send';

const texts = {
  signup: { title: 'Your sign-up code', action: 'create your account' },
  login: { title: 'Your sign-in code', action: 'sign in' },
} as const;

const CODE_STYLE =
  'padding:16px 8px;font-size:32px;line-height:40px;font-weight:600;letter-spacing:6px;text-indent:6px;text-align:center';

/** The mail with a one-time code of six digits. */
export function oneTimeCodeMail(to: string, purpose: Purpose, digits: string): Mail {
  const { title, action } = texts[purpose];
  const use = `Enter this code to ${action}. It works once and expires after ${CODE_TTL_SECONDS / 60} minutes.`;
  const ignore =
    'If you did not request this code, ignore this mail: nothing happens without the code. Do not give the code to anyone.';
  return {
    to,
    subject: `${digits} is your ${purpose === 'signup' ? 'sign-up' : 'sign-in'} code`,
    html: renderPage(
      <MailPage title={title}>
        <Heading>{title}</Heading>
        <Paragraph>{use}</Paragraph>
        <Code style={CODE_STYLE}>{digits}</Code>
        <Small>{ignore}</Small>
      </MailPage>,
    ),
    text: `${title}\n\n${digits}\n\n${use}\n\n${ignore}\n\n${signature()}`,
  };
}
