import type { ComponentChildren } from 'preact';
import { formatNumber } from '../../../format';
import { BarTable } from '../../../ui/chart';
import { Time } from '../../../ui/time';
import { words } from '../../../words/en';
import type { Deck } from '../use-deck';
import type { Insights } from './choice';

type LinkRow = Insights['byLink'][number];

/** By link and by recipient, by device, and by the website from which readers came. */
export function Sources({ figures, deck }: { figures: Insights; deck: Deck }) {
  const { byLink, byDevice, byReferrer, other } = figures;
  const said = words.insights;
  const mailed = new Set(deck.links.filter(({ isPersonal }) => isPersonal).map(({ tokenId }) => tokenId));
  return (
    <>
      <Links title={said.byLink} name={said.link} rows={byLink.filter(({ tokenId }) => !mailed.has(tokenId))} />
      <Links
        title={said.byRecipient}
        name={said.recipient}
        rows={byLink.filter(({ tokenId }) => mailed.has(tokenId))}
      />
      <div class="side-by-side">
        <Shares
          title={said.byDevice}
          name={said.device}
          rows={byDevice.map(({ device, views }) => ({ key: device, text: said.devices[device], views }))}
        />
        <Shares
          title={said.byReferrer}
          name={said.referrer}
          rows={[
            ...byReferrer.map(({ host, views }) => ({
              key: host ?? '',
              text: host === null ? said.noReferrer : <bdi translate={false}>{host}</bdi>,
              views,
            })),
            ...(other.byReferrer.views > 0
              ? [{ key: ' other', text: said.others, views: other.byReferrer.views }]
              : []),
          ]}
        />
      </div>
    </>
  );
}

function Links({ title, name, rows }: { title: string; name: string; rows: LinkRow[] }) {
  const { visits, people, lastSeen } = words.insights;
  if (rows.length === 0) return null;
  return (
    <section class="card">
      <h2>{title}</h2>
      <BarTable
        caption={title}
        name={name}
        nameOf={({ tokenName }) => tokenName}
        rows={rows}
        keyOf={({ tokenId }) => tokenId}
        columns={[
          { title: visits, value: ({ views }) => views, text: ({ views }) => formatNumber(views) },
          { title: people, text: (row) => formatNumber(row.people) },
          { title: lastSeen, text: ({ lastSeenAt }) => <Time iso={lastSeenAt} /> },
        ]}
      />
    </section>
  );
}

interface SharesProps {
  title: string;
  name: string;
  rows: { key: string; text: ComponentChildren; views: number }[];
}

function Shares({ title, name, rows }: SharesProps) {
  if (rows.length === 0) return null;
  return (
    <section class="card">
      <h2>{title}</h2>
      <BarTable
        caption={title}
        name={name}
        nameOf={({ text }) => text}
        rows={rows}
        keyOf={({ key }) => key}
        columns={[
          { title: words.insights.visits, value: ({ views }) => views, text: ({ views }) => formatNumber(views) },
        ]}
      />
    </section>
  );
}
