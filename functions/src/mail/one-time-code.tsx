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

/** What the code in a mail is for: a purpose, or the part of the new address in a change of it. */
export type CodeUse = Exclude<Purpose, 'change-email'> | { newEmail: string } | 'new-email';

/** The words of a mail. Whoever asks for a code with a session can only be stopped by an end of the session. */
interface Words {
  what: string;
  action: string;
  isOfSession?: true;
}

const texts = {
  signup: { what: 'sign-up code', action: 'create your account' },
  login: { what: 'sign-in code', action: 'sign in' },
  delete: {
    what: 'code to delete your account',
    action: 'delete your account with all its presentations and links',
    isOfSession: true,
  },
  export: { what: 'code to export your account', action: 'get a copy of all your data', isOfSession: true },
  'new-email': { what: 'code for your new address', action: 'sign in with this address from now on' },
} satisfies Record<Exclude<CodeUse, object>, Words>;

const wordsOf = (use: CodeUse): Words =>
  typeof use === 'string'
    ? texts[use]
    : {
        what: 'code to change your address',
        action: `change the address of your account to ${use.newEmail}`,
        isOfSession: true,
      };

interface CodeMail {
  to: string;
  use: CodeUse;
  digits: string;
  /** See `clientName`. */
  asker: string;
  /** See `codeLinkToken`. */
  linkToken: string;
}

/** The mail with a one-time code of six digits. */
export function oneTimeCodeMail({ to, use: of, digits, asker, linkToken }: CodeMail): Mail {
  const { what, action, isOfSession } = wordsOf(of);
  const title = `Your ${what}`;
  const use = `Enter this code to ${action}. It works once and expires after ${CODE_TTL_SECONDS / 60} minutes.`;
  const who = `It was requested with ${asker}.`;
  const harmless = isOfSession
    ? 'If that was not you, somebody else is signed in to your account: sign out everywhere in the settings. Nothing ' +
      'happens without the code.'
    : 'If that was not you, you can ignore this email: nothing happens without the code.';
  const ignore = `${harmless} Never share the code with anyone.`;
  const site = config.viewerUrl();
  const stop = isOfSession
    ? { text: 'The devices that are signed in', page: `${site}/dashboard/settings` }
    : { text: 'Getting codes that you did not request? Stop them', page: `${site}/codes/${linkToken}` };
  return {
    to,
    subject: `${digits} is your ${what}`,
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
          <SmallLink url={stop.page}>{stop.text}</SmallLink>
        </Small>
      </MailPage>,
    ),
    text: `${title}\n\n${digits}\n\n${use}\n\n${who} ${ignore}\n\n${stop.text}:\n${stop.page}\n\n${signature(site)}`,
  };
}
