import { EmptyState } from '../../ui/empty-state';
import { Heading } from '../../ui/heading';
import { words } from '../../words/en';

/** The address is not one of the dashboard. */
export default function Missing() {
  const { missing, missingWhy, toDecks } = words.shell;
  return (
    <>
      <Heading title={missing} />
      <EmptyState text={missingWhy}>
        <a class="button primary" href="/dashboard/decks">
          {toDecks}
        </a>
      </EmptyState>
    </>
  );
}
