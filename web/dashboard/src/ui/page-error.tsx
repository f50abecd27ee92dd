import { words } from '../words/en';
import { EmptyState } from './empty-state';
import { Heading } from './heading';

/** Stands in place of a page whose code did not load. */
export function PageError() {
  return (
    <>
      <Heading title={words.shell.pageNotLoaded} />
      <EmptyState text={words.shell.pageNotLoadedWhy}>
        <button type="button" class="button primary" onClick={() => location.reload()}>
          {words.shell.reload}
        </button>
      </EmptyState>
    </>
  );
}
