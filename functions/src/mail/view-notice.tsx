import { config } from '../config';
import { ACCENT, Button, Heading, MailPage, Paragraph, signature } from '../house/mail-layout';
import { closingOf } from '../house/mail-origin';
import { renderPage } from '../house/render';
import { oneLine } from '../values/mail-text';
import { minuteOf } from './minute';
import { mailPageUrl } from './mail-page-url';
import { mailTags, type Mail } from './send';

/** A first view of a link, as its owner is told. */
export interface NoticedView {
  presentationId: string;
  tokenId: string;
  linkName: string;
  /** The address of the reader; null for a link that does not tell it. */
  email: string | null;
  emailIsProven: boolean;
  startedAt: Date;
  /** See `mailTokenFor`: the token of the owner and the deck. */
  mailToken: string;
}

export interface NoticedDeck {
  title: string;
  views: readonly NoticedView[];
}

function sentenceOf({ linkName, email, emailIsProven, startedAt }: NoticedView): string {
  const name = oneLine(linkName, 100);
  const when = minuteOf(startedAt);
  if (email === null) return `The link “${name}” was first viewed on ${when}.`;
  if (emailIsProven) return `${email} first viewed the link “${name}” on ${when}.`;
  return `The link that was mailed to ${email} was first viewed on ${when}.`;
}

const insightsOf = ({ presentationId }: NoticedView) =>
  `${config.viewerUrl()}/dashboard/decks/${presentationId}/insights`;
const offOf = (label: string, { tokenId }: NoticedView) => [label, `?choice=link&tokenId=${tokenId}`] as const;

const SEE = 'See the views';
const OFF = 'No emails about this link';
const ALL_OFF = 'Stop all such emails';

/** Tells the owner of a deck that somebody else has viewed a link for the first time. */
export function viewNoticeMail(to: string, deckTitle: string, view: NoticedView): Mail {
  const title = `“${oneLine(deckTitle, 120)}” was viewed`;
  return letterOf(to, title, view.mailToken, [
    { text: sentenceOf(view), url: insightsOf(view), off: [offOf(OFF, view)] },
  ]);
}

/** Tells the owner of decks of the first views of a day for which there were no mails of their own. */
export function viewDigestMail(to: string, day: string, decks: readonly NoticedDeck[], more: number): Mail {
  const count = decks.reduce((sum, { views }) => sum + views.length, more);
  const title = `First views of ${count} ${count === 1 ? 'link' : 'links'} on ${day}`;
  const parts = decks.map(({ title: deck, views }) => ({
    heading: oneLine(deck, 120),
    text: views.map(sentenceOf).join('\n'),
    url: insightsOf(views[0]!),
    off: views.map((view) => offOf(`No emails about “${oneLine(view.linkName, 60)}”`, view)),
  }));
  const rest = more > 0 ? [{ text: `${more} more links were first viewed on this day.`, off: [] }] : [];
  return letterOf(to, title, decks[0]!.views[0]!.mailToken, [...parts, ...rest]);
}

interface Part {
  heading?: string;
  text: string;
  url?: string;
  off: readonly (readonly [label: string, query: string])[];
}

function letterOf(to: string, title: string, mailToken: string, parts: readonly Part[]): Mail {
  const site = config.viewerUrl();
  const why = 'You received this email because you asked for an email at the first view of a link.';
  const off = [...parts.flatMap((part) => part.off), [ALL_OFF, ''] as const];
  const closing = closingOf(why, mailPageUrl(mailToken), off);
  const html = renderPage(
    <MailPage title={title} site={site}>
      <Heading>{title}</Heading>
      {parts.map(({ heading, text, url }) => (
        <>
          {heading && (
            <Paragraph>
              <strong>{heading}</strong>
            </Paragraph>
          )}
          {text.split('\n').map((line) => (
            <Paragraph>{line}</Paragraph>
          ))}
          {url && (
            <Button url={url} ground={ACCENT}>
              {SEE}
            </Button>
          )}
        </>
      ))}
      {closing.html}
    </MailPage>,
  );
  const body = parts.map(({ heading, text, url }) =>
    [heading, text, url && `${SEE}:\n${url}`].filter(Boolean).join('\n\n'),
  );
  return {
    to,
    subject: title,
    html,
    text: `${[title, ...body, closing.text].join('\n\n')}\n${signature(site)}`,
    headers: closing.headers,
    tags: mailTags('notice', mailToken),
  };
}
