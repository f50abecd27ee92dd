import type { Answer } from '../../service';
import { Table } from '../../ui/table';
import { Time } from '../../ui/time';
import { words } from '../../words/en';
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
        { title: recipient, isName: true, cell: ({ email }) => email },
        { title: outcome, cell: (mail) => <Outcome mail={mail} /> },
        { title: opened, cell: ({ tokenId }) => <Opened link={tokenId === null ? undefined : byId.get(tokenId)} /> },
        { title: when, cell: ({ sentAt }) => <Time iso={sentAt} /> },
      ]}
    />
  );
}

function Outcome({ mail: { outcome, code } }: { mail: Mail }) {
  const { accepted, failed, failures } = words.deckMails;
  if (outcome === 'sent') return <span class="label good">{accepted}</span>;
  return (
    <>
      <span class="label bad">{failed}</span> {code && <span class="quiet small">{failures[code]}</span>}
    </>
  );
}

function Opened({ link }: { link: Link | undefined }) {
  const { notOpened, views, linkStates } = words.deckMails;
  if (!link) return <span class="quiet">–</span>;
  return (
    <>
      {link.accessCount > 0 ? views(link.accessCount) : <span class="quiet">{notOpened}</span>}{' '}
      {link.state && link.state !== 'open' && <span class="label">{linkStates[link.state]}</span>}
    </>
  );
}
