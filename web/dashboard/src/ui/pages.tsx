import { words } from '../words/en';

interface PagesProps {
  /** From 1. */
  page: number;
  pages: number;
  onPage: (page: number) => void;
}

/** Leads to the page before and after. Nothing when there is one page. */
export function Pages({ page, pages, onPage }: PagesProps) {
  if (pages <= 1) return null;
  const { previousPage, nextPage, pages: label } = words.shell;
  const turn = (to: number) => {
    onPage(to);
    scrollTo(0, 0);
  };
  return (
    <nav class="pages" aria-label={label}>
      <button type="button" class="button" aria-disabled={page === 1} onClick={() => turn(page - 1)}>
        {previousPage}
      </button>
      <span class="quiet" role="status">
        {words.shell.page(page, pages)}
      </span>
      <button type="button" class="button" aria-disabled={page === pages} onClick={() => turn(page + 1)}>
        {nextPage}
      </button>
    </nav>
  );
}
