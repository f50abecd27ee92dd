import { config } from '../config';
import { mailReportReasons, type MailReportReason } from '../policy/mail-reports';
import { markup, type Markup } from '../values/markup';
import { sitePage } from './site-page';

/** The part of the page that stands first: what the link in the mail offers. */
export const mailChoices = ['sender', 'all', 'report'] as const;
export type MailChoice = (typeof mailChoices)[number];

interface MailPage {
  token: string;
  organizationName: string;
  stops: { sender: boolean; all: boolean };
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

/**
 * The page behind the links of a mail. It shows no address. Each button is a form that sends everything in its URL, so
 * that the page works like the one click of a mail program.
 */
export function mailPage({ token, organizationName, stops, choice, notice }: MailPage): string {
  const button = (label: string, query: string) =>
    markup`<form method="post" action="${config.viewerUrl()}/mail/${token}?${query}"><button>${label}</button></form>`;
  const name = markup`<bdi lang="">${organizationName}</bdi>`;
  const sections: Record<MailChoice, Markup> = {
    sender: markup`<section aria-labelledby="sender">
<h2 id="sender">Mails from ${name}</h2>
${
  stops.all || stops.sender
    ? markup`<p>${stops.all ? 'All mails are stopped, also those of this sender.' : 'Mails of this sender are stopped.'}</p>\n${button('Allow mails again', 'choice=resume')}`
    : markup`<p>You get no further mail from this sender through this service.</p>\n${button('Stop mails from this sender', 'choice=sender')}`
}
</section>`,
    all: markup`<section aria-labelledby="all">
<h2 id="all">Mails from everybody</h2>
${
  stops.all
    ? markup`<p>You get no mail that you did not ask for. Codes to sign up and to log in still arrive.</p>\n${button('Allow mails again', 'choice=resume')}`
    : markup`<p>You get no mail through this service that you did not ask for, from any sender. Codes to sign up and to log in still arrive.</p>\n${button('Stop all mails', 'choice=all')}`
}
</section>`,
    report: markup`<section aria-labelledby="report">
<h2 id="report">Report this mail</h2>
<p>The operator of this service sees the report and who sent the mail. The sender does not see it. What is wrong with the mail?</p>
<div class="choices">${mailReportReasons.map((reason) => button(reasonNames[reason], `choice=report&reason=${reason}`))}</div>
</section>`,
  };
  const order = [choice, ...mailChoices.filter((each) => each !== choice)];
  return sitePage({
    title: 'Mails of this service',
    isFound: false,
    main: markup`<main class="notice">
<h1>Mails of this service</h1>
${notice !== null && markup`<p role="status"><strong>${notice}</strong></p>`}
<p class="quiet">${name} sent you a mail through this service.</p>
${order.map((each) => sections[each])}
</main>`,
  });
}

/** A page with a message about a link that cannot be used. */
export function mailNotice(heading: string, text: string): string {
  return sitePage({
    title: heading,
    isFound: false,
    main: markup`<main class="notice">
<h1>${heading}</h1>
<p class="quiet">${text}</p>
</main>`,
  });
}
