import { config } from '../config';
import {
  Code,
  CODE_STYLE,
  Heading,
  MailPage,
  Paragraph,
  Rule,
  signature,
  Small,
  SmallLink,
} from '../house/mail-layout';
import { renderPage } from '../house/render';
import { CODE_TTL_SECONDS, type Purpose } from '../policy/codes';
import type { Mail } from './send';

const texts = {
  signup: { title: 'Your sign-up code', action: 'create your account' },
  login: { title: 'Your sign-in code', action: 'sign in' },
} as const;

interface CodeMail {
  to: string;
  purpose: Purpose;
  digits: string;
  /** See `clientName`. */
  asker: string;
  /** See `codeLinkToken`. */
  linkToken: string;
}

/** The mail with a one-time code of six digits. */
export function oneTimeCodeMail({ to, purpose, digits, asker, linkToken }: CodeMail): Mail {
  const { title, action } = texts[purpose];
  const use = `Enter this code to ${action}. It works once and expires after ${CODE_TTL_SECONDS / 60} minutes.`;
  const who = `It was requested with ${asker}.`;
  const ignore =
    'If that was not you, you can ignore this email: nothing happens without the code. Never share the code with anyone.';
  const stop = 'Getting codes that you did not request? Stop them';
  const site = config.viewerUrl();
  const page = `${site}/codes/${linkToken}`;
  return {
    to,
    subject: `${digits} is your ${purpose === 'signup' ? 'sign-up' : 'sign-in'} code`,
    html: renderPage(
      <MailPage title={title} site={site}>
        <Heading>{title}</Heading>
        <Paragraph>{use}</Paragraph>
        <Code style={CODE_STYLE}>{digits}</Code>
        <Small>
          {who} {ignore}
        </Small>
        <Rule />
        <Small>
          <SmallLink url={page}>{stop}</SmallLink>
        </Small>
      </MailPage>,
    ),
    text: `${title}\n\n${digits}\n\n${use}\n\n${who} ${ignore}\n\n${stop}:\n${page}\n\n${signature(site)}`,
  };
}
