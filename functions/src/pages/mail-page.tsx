import type { VNode } from 'preact';
import { config } from '../config';
import { name as product } from '../house/tokens.json';
import { mailReportReasons, type MailReportReason } from '../policy/mail-reports';
import { noticeStyle } from './notice-style';
import { sitePage, sitePolicy } from './site-page';

/** What the link in the mail offers. The page shows it first. */
export const mailChoices = ['sender', 'all', 'report', 'link'] as const;
export type MailChoice = (typeof mailChoices)[number];

interface MailPage {
  token: string;
  /** Null when the service sent the mail in its own name. */
  organizationName: string | null;
  stops: { sender: boolean; all: boolean; canResumeAll: boolean };
  choice: MailChoice;
  /** The id of the link of which the mail told the owner. */
  link?: string | undefined;
  /** What the request has just done. */
  notice: string | null;
}

const reasonNames: Record<MailReportReason, string> = {
  spam: 'It is spam',
  phishing: 'It tries to steal passwords or money',
  impersonation: 'It pretends to be from someone else',
  offensive: 'It is offensive or illegal',
  other: 'Something else',
};

/** The Content-Security-Policy of the page. Its forms go to its own address. */
export const mailPagePolicy = () => sitePolicy(config.viewerUrl(), [], { style: noticeStyle });

/**
 * The page behind the links of a mail. It shows no address. Each button is a form that sends everything in its URL, so
 * that the page works like the one click of a mail program.
 */
export function mailPage({ token, organizationName, stops, choice, link, notice }: MailPage): string {
  const button: Button = (label, query, style) => (
    <form method="post" action={`${config.viewerUrl()}/mail/${token}?${query}`}>
      <button class={style}>{label}</button>
    </form>
  );
  const sender = organizationName ?? product;
  const name = <bdi lang="">{sender}</bdi>;
  const parts = [
    <section aria-labelledby="stop">
      <h2 id="stop">Stop emails</h2>
      {stopping(stops, choice, button)}
    </section>,
    organizationName !== null && (
      <section aria-labelledby="report">
        <h2 id="report">Report this email</h2>
        <p>
          Your report goes to the operator of this service, together with the name of the sender. The sender is not
          told. What is wrong with the email?
        </p>
        <div class="choices">
          {mailReportReasons.map((reason) => button(reasonNames[reason], `choice=report&reason=${reason}`, 'plain'))}
        </div>
      </section>
    ),
  ];
  return sitePage({
    title: `Emails from \u2068${sender}\u2069`,
    isFound: false,
    style: noticeStyle,
    main: (
      <main class="notice">
        <h1>Emails from {name}</h1>
        {notice !== null && (
          <p class="said" role="status">
            {notice}
          </p>
        )}
        <p class="quiet">
          {name} sent you an email{organizationName !== null && ` through ${product}`}.
        </p>
        {choice === 'link' && (
          <section aria-labelledby="link">
            <h2 id="link">Stop emails about one link</h2>
            <p>You asked for an email at the first view of a link. The link itself stays as it is.</p>
            <div class="choices">{button('Stop emails about this link', `choice=link&tokenId=${link}`)}</div>
          </section>
        )}
        {choice === 'report' ? parts.reverse() : parts}
      </main>
    ),
  });
}

type Button = (label: string, query: string, style?: 'plain') => VNode;

const CODES =
  'You will still get the codes that you sign up and sign in with. Emails with codes have their own link to stop them.';

/** What is stopped, and the buttons that change it. The button that the link in the mail asked for comes first. */
function stopping(stops: MailPage['stops'], choice: MailChoice, button: Button) {
  const resume = button('Allow emails again', 'choice=resume', 'plain');
  const all = (style?: 'plain') => button('Stop all emails', 'choice=all', style);
  const sender = (style?: 'plain') => button('Stop emails from this sender', 'choice=sender', style);
  const say = (text: string, ...buttons: VNode[]) => (
    <>
      <p>{text}</p>
      {buttons.length > 0 && <div class="choices">{buttons}</div>}
    </>
  );
  if (stops.all) {
    const stopped = `You will get no more emails that you did not ask for. ${CODES}`;
    return stops.canResumeAll ? say(`${stopped} You can undo this within 10 minutes.`, resume) : say(stopped);
  }
  if (stops.sender) {
    const text = `You will get no more emails from this sender. You can also stop emails from all other senders. ${CODES}`;
    return say(text, all('plain'), resume);
  }
  const buttons = choice === 'all' ? [all(), sender('plain')] : [sender(), all('plain')];
  return say(`You can stop emails from this sender, or all emails that you did not ask for. ${CODES}`, ...buttons);
}
