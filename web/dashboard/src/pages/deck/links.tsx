import { useState } from 'preact/hooks';
import { CommandStrip } from '../../ui/command-strip';
import { EmptyState } from '../../ui/empty-state';
import { FailureNotice } from '../../ui/failure-notice';
import { words } from '../../words/en';
import { AddLink } from './add-link';
import { LinkRow } from './link-row';
import { useChange } from './use-change';
import type { Deck, Link, SectionProps } from './use-deck';

/** The links of the deck: those that the owner made, and folded below them those of mails and the revoked ones. */
export default function Links(props: SectionProps) {
  const { id, links, version } = props.deck;
  const input = { presentationId: id };
  const change = useChange(props, {
    command: `deck links ${id}`,
    call: { name: 'getSharedPresentationInfo', method: 'GET', input },
  });
  const own = links.filter((link) => !link.revoked && !link.isPersonal);
  const mailed = links.filter((link) => !link.revoked && link.isPersonal);
  const revoked = links.filter((link) => link.revoked);
  const { about, list, noneTitle, none, showRevoked, mailedLinks } = words.deckLinks;
  return (
    <section class="links section-place">
      <h2 class="visually-hidden">{words.deck.tabs.links}</h2>
      <p class="quiet">
        {about} <a href="/dashboard/requests">{words.requests.title}</a>
      </p>
      <AddLink id={id} version={version} change={change} />
      <FailureNotice failure={change.failure} />
      {own.length === 0 && <EmptyState title={noneTitle} text={none} />}
      <Rows {...props} links={own} change={change} label={list} />
      <Folded {...props} links={mailed} change={change} title={mailedLinks(mailed.length, openedOf(mailed))} />
      <Folded {...props} links={revoked} change={change} title={showRevoked(revoked.length)} />
      <CommandStrip {...change.done} />
    </section>
  );
}

interface RowsProps {
  deck: Deck;
  links: readonly Link[];
  change: ReturnType<typeof useChange>;
}

const Rows = ({ deck, links, change, label }: RowsProps & { label?: string }) => (
  <ul class="rows" aria-label={label}>
    {links.map((link) => (
      <LinkRow key={link.tokenId} deck={deck} link={link} change={change} />
    ))}
  </ul>
);

/** Rows that are shown on demand. Nothing without links. */
function Folded({ title, ...rows }: RowsProps & { title: string }) {
  const [isOpen, setOpen] = useState(false);
  if (rows.links.length === 0) return null;
  return (
    <details open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{title}</summary>
      <Rows {...rows} />
    </details>
  );
}

/** How many of the links were opened. */
const openedOf = (links: readonly Link[]) => links.filter(({ accessCount }) => accessCount > 0).length;
