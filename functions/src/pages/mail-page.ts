import { config } from '../config';
import { name as product } from '../house/house.cjs';
import { mailReportReasons, type MailReportReason } from '../policy/mail-reports';
import { markup, type Markup } from '../values/markup';
import { noticeStyle } from './notice-style';
import { sitePage, sitePolicy } from './site-page';

/** What the link in the mail offers. The page shows it first. */
export const mailChoices = ['sender', 'all', 'report'] as const;
export type MailChoice = (typeof mailChoices)[number];

interface MailPage {
  token: string;
  organizationName: string;
  stops: { sender: boolean; all: boolean; canResumeAll: boolean };
  choice: MailChoice;
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
export function mailPage({ token, organizationName, stops, choice, notice }: MailPage): string {
  const button = (label: string, query: string, style: 'plain' | null = null) =>
    markup`<form method="post" action="${config.viewerUrl()}/mail/${token}?${query}"><button${style && markup` class="${style}"`}>${label}</button></form>`;
  const name = markup`<bdi lang="">${organizationName}</bdi>`;
  const parts = [
    markup`<section aria-labelledby="stop">
<h2 id="stop">Stop mails</h2>
${stopping(stops, choice, button)}
</section>`,
    markup`<section aria-labelledby="report">
<h2 id="report">Report this mail</h2>
<p>The operator of this service sees the report and who sent the mail. The sender does not see the report. What is wrong with the mail?</p>
<div class="choices">${mailReportReasons.map((reason) => button(reasonNames[reason], `choice=report&reason=${reason}`, 'plain'))}</div>
</section>`,
  ];
  return sitePage({
    title: `Mails from \u2068${organizationName}\u2069`,
    isFound: false,
    style: noticeStyle,
    main: markup`<main class="notice">
<h1>Mails from ${name}</h1>
${notice !== null && markup`<p class="said" role="status">${notice}</p>\n`}<p class="quiet">${name} sent you a mail through ${product}.</p>
${choice === 'report' ? parts.reverse() : parts}
</main>`,
  });
}

type Button = (label: string, query: string, style?: 'plain' | null) => Markup;

/** What is stopped, and the buttons that change it. The button that the link in the mail asked for comes first. */
function stopping(stops: MailPage['stops'], choice: MailChoice, button: Button): Markup {
  const codes = 'Codes to sign up and to log in still arrive.';
  const resume = button('Allow mails again', 'choice=resume', 'plain');
  if (stops.all) {
    const stopped = markup`<p>All mails that you do not ask for are stopped. ${codes}`;
    if (!stops.canResumeAll) return markup`${stopped}</p>`;
    return markup`${stopped} You can take this back within 10 minutes.</p>\n<div class="choices">${resume}</div>`;
  }
  const all = (style: 'plain' | null) => button('Stop all mails', 'choice=all', style);
  if (stops.sender) {
    return markup`<p>Mails from this sender are stopped. You can stop the mails of all other senders, too. ${codes}</p>\n<div class="choices">${all('plain')}${resume}</div>`;
  }
  const sender = (style: 'plain' | null) => button('Stop mails from this sender', 'choice=sender', style);
  const buttons = choice === 'all' ? [all(null), sender('plain')] : [sender(null), all('plain')];
  return markup`<p>You can stop the mails of this sender, or all mails that you do not ask for. ${codes}</p>\n<div class="choices">${buttons}</div>`;
}
