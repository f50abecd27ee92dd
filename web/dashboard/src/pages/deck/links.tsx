import { useState } from 'preact/hooks';
import { CommandStrip } from '../../ui/command-strip';
import { EmptyState } from '../../ui/empty-state';
import { FailureNotice } from '../../ui/failure-notice';
import { words } from '../../words/en';
import { AddLink } from './add-link';
import { LinkRow } from './link-row';
import { useChange } from './use-change';
import type { SectionProps } from './use-deck';

/** The links of the deck: the open ones, and below them those that were revoked. */
export default function Links(props: SectionProps) {
  const { id, links, version } = props.deck;
  const [isOpen, setOpen] = useState(false);
  const input = { presentationId: id };
  const change = useChange(props, {
    command: `deck links ${id}`,
    call: { name: 'getSharedPresentationInfo', method: 'GET', input },
  });
  const open = links.filter(({ revoked }) => !revoked);
  const revoked = links.filter((link) => link.revoked);
  const { about, list, noneTitle, none, showRevoked } = words.deckLinks;
  return (
    <section class="links section-place">
      <h2 class="visually-hidden">{words.deck.tabs.links}</h2>
      <p class="quiet">{about}</p>
      <AddLink id={id} version={version} change={change} />
      <FailureNotice failure={change.failure} />
      {open.length === 0 && <EmptyState title={noneTitle} text={none} />}
      <ul class="rows" aria-label={list}>
        {open.map((link) => (
          <LinkRow key={link.tokenId} deck={props.deck} link={link} change={change} />
        ))}
      </ul>
      {revoked.length > 0 && (
        <details open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
          <summary>{showRevoked(revoked.length)}</summary>
          <ul class="rows">
            {revoked.map((link) => (
              <LinkRow key={link.tokenId} deck={props.deck} link={link} change={change} />
            ))}
          </ul>
        </details>
      )}
      <CommandStrip {...change.done} />
    </section>
  );
}
