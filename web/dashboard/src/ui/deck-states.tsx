import { words } from '../words/en';
import { Time } from './time';

/** The fields of a deck, or of its row in a list, that tell its state. */
interface DeckState {
  role: 'owner' | 'dev';
  closed: 'expired' | 'taken-down' | null;
  expiresAt: string | null;
  listing: { status: string } | null;
}

/** Labels of the state of a deck: whose it is, why it is closed or when it will be, and whether it is listed. */
export function DeckStates({ deck: { role, closed, expiresAt, listing } }: { deck: DeckState }) {
  const { sharedWithYou, expires, expired, takenDown, listed } = words.deck;
  return (
    <>
      {role === 'dev' && <span class="label">{sharedWithYou}</span>}
      {closed === 'taken-down' && <span class="label bad">{takenDown}</span>}
      {closed === 'expired' && <span class="label bad">{expired}</span>}
      {!closed && expiresAt && (
        <span class="label">
          {expires} <Time iso={expiresAt} />
        </span>
      )}
      {listing?.status === 'public' && <span class="label good">{listed}</span>}
    </>
  );
}
