import { config } from '../config';
import {
  ACCENT,
  brandOf,
  Button,
  Code,
  Heading,
  MailPage,
  Paragraph,
  Quote,
  signature,
  Small,
} from '../house/mail-layout';
import { originOf } from '../house/mail-origin';
import { renderPage } from '../house/render';
import { deckCommand, installCommand } from '../values/client-commands';
import { oneLine, plainText, senderFor } from '../values/mail-text';
import { mailPageUrl } from './mail-page-url';
import { mailTags, type Mail } from './send';

interface Invitation {
  to: string;
  /** The name and the address of the user who invites. */
  inviter: { name: string; email: string };
  /** The name of the inviting organization. */
  from: string;
  /** Its colour; null for another text than `#rrggbb`. */
  brandPrimary: string | null;
  deckTitle: string;
  message: string | null;
  presentationId: string;
  /** See `writeInvitationToken`. */
  invitation: string;
  /** See `mailTokenFor`. */
  token: string;
}

const RIGHTS = 'You will be able to change this deck and publish new versions of it.';
const HOW_TO_ACCEPT =
  'To accept, create an account with the address to which this email was sent. The deck then opens.';
const CREATE = 'Create an account';
const IN_A_TERMINAL = 'Prefer a terminal? With Node 20.19 or newer, these commands install the client and sign you up:';
const HOW_TO_DECLINE =
  'If you did not expect this invitation, you can ignore this email. Nothing happens unless you sign up.';

/** Addresses that a shell reads as one plain word. The command names no other address. */
const plainWord = /^[a-z0-9._+@][a-z0-9._+@-]*$/;

/** The words of the inviter, marked on each line: the commands after them are those of the service. */
const quoted = (words: string) => words.replace(/^/gm, '> ');

/** The mail that invites an address without an account to a deck. */
export function invitationMail({ to, inviter, from, deckTitle, message, token, ...more }: Invitation): Mail {
  const brand = brandOf(more.brandPrimary);
  const name = oneLine(inviter.name, 100) || inviter.email;
  const title = oneLine(`${name} invites you to “${deckTitle}”`, 400);
  const who = `${name === inviter.email ? name : `${name} (${inviter.email})`} of ${oneLine(from, 100)} invites you.`;
  const address = plainWord.test(to) ? ['--email', to] : [];
  const commands = [installCommand(config.clientUrl()), deckCommand(config.baseUrl(), 'signup', ...address)];
  const words = plainText(message ?? '');
  const query = `next=/dashboard/decks/${more.presentationId}&invitation=${more.invitation}`;
  const site = config.viewerUrl();
  const signUp = `${site}/dashboard/sign-up?${query}`;
  const origin = originOf({ to, organizationName: from, sender: inviter.email, page: mailPageUrl(token) });
  const html = renderPage(
    <MailPage title={title} site={site} {...(brand && { brand })}>
      <Heading>{title}</Heading>
      <Paragraph>
        {who} {RIGHTS}
      </Paragraph>
      {words && <Quote text={words} />}
      <Paragraph>{HOW_TO_ACCEPT}</Paragraph>
      <Button url={signUp} ground={brand ?? ACCENT}>
        {CREATE}
      </Button>
      <Paragraph>{IN_A_TERMINAL}</Paragraph>
      {/* A phone breaks the lines of a command, so that each one has a ground of its own. */}
      {commands.map((command) => (
        <Code style="padding:12px;font-size:14px;line-height:20px">{command}</Code>
      ))}
      <Small>{HOW_TO_DECLINE}</Small>
      {origin.html}
    </MailPage>,
  );
  return {
    from: senderFor(inviter.name || from, config.mailFrom()),
    to,
    replyTo: inviter.email,
    subject: oneLine(title),
    html,
    text: `${title}\n\n${who} ${RIGHTS}\n\n${words ? `${quoted(words)}\n\n` : ''}${HOW_TO_ACCEPT}\n\n${CREATE}:\n${signUp}\n\n${IN_A_TERMINAL}\n\n${commands.join('\n')}\n\n${HOW_TO_DECLINE}\n\n${origin.text}\n${signature(site)}`,
    headers: origin.headers,
    tags: mailTags('invitation', token),
  };
}
