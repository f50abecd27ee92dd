import { EmptyState } from '../../ui/empty-state';
import { Heading } from '../../ui/heading';
import { words } from '../../words/en';

/** Where a person is who has deleted the account. */
export default function AccountDeleted() {
  const { deleted, deletedText, toSite } = words.settings.deleting;
  return (
    <>
      <Heading title={deleted} />
      <EmptyState text={deletedText}>
        <a class="button" href="/">
          {toSite}
        </a>
      </EmptyState>
    </>
  );
}
