import type { Answer } from '../../service';
import { Table } from '../../ui/table';
import { Time } from '../../ui/time';
import { words } from '../../words/en';
import { MailState } from './mail-state';
import type { Link } from './use-deck';

type Mail = Answer<'listEmailSends'>['sends'][number];

/** What became of each mail. Its personal link says whether the recipient has opened the deck. */
export function SentMails({ rows, links }: { rows: Mail[]; links: Link[] }) {
  const byId = new Map(links.map((link) => [link.tokenId, link]));
  const { list, recipient, outcome, opened, when } = words.deckMails;
  return (
    <Table
      caption={list}
      rows={rows}
      keyOf={({ sendId }) => sendId}
      columns={[
        { title: recipient, isName: true, cell: ({ email }) => nameOf(email) },
        { title: outcome, cell: (mail) => <Outcome mail={mail} /> },
        { title: opened, cell: (mail) => <Opened mail={mail} link={byId.get(mail.tokenId ?? '')} /> },
        { title: when, cell: ({ sentAt }) => <Time iso={sentAt} /> },
      ]}
    />
  );
}

/** The address of the recipient. The record of a reader who was forgotten has none. */
const nameOf = (email: string) => (email.includes('@') ? email : words.insights.forget.forgotten);

function Outcome({ mail: { outcome, code, delivery } }: { mail: Mail }) {
  const { accepted, failed, failures } = words.deckMails;
  if (delivery) return <MailState delivery={delivery} />;
  if (outcome === 'sent') return <span class="label good">{accepted}</span>;
  return (
    <>
      <span class="label bad">{failed}</span> {code && <span class="quiet small">{failures[code]}</span>}
    </>
  );
}

function Opened({ mail: { outcome, opening }, link }: { mail: Mail; link: Link | undefined }) {
  const { loaded, loadedHint, notOpened } = words.insights.mail;
  if (outcome !== 'sent') return <span class="quiet">–</span>;
  return (
    <>
      {opening ? (
        reached(opening)
      ) : link && link.accessCount > 0 ? (
        <span class="quiet" title={loadedHint}>
          {loaded}
        </span>
      ) : (
        <span class="quiet">{notOpened}</span>
      )}{' '}
      {link?.state && link.state !== 'open' && <span class="label">{words.deckMails.linkStates[link.state]}</span>}
    </>
  );
}

/** How far the readers of the link came. */
function reached({ maxSlide, slideCount }: NonNullable<Mail['opening']>): string {
  const { opened, readToEnd, upTo, upToSlide } = words.insights.mail;
  if (maxSlide === 0 || slideCount === 1) return opened;
  if (slideCount === null) return upToSlide(maxSlide);
  return maxSlide >= slideCount ? readToEnd : upTo(maxSlide, slideCount);
}
