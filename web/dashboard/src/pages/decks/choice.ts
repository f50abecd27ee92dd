import type { DeckRow } from 'deckhost-client/browser';

const sorts = ['changed', 'title', 'views', 'viewed'] as const;
const shows = ['all', 'own', 'shared'] as const;

/** Which decks the person wants to see, as the query of the address says it. */
export interface Choice {
  /** What stands in the field, with the spaces around it: more may follow them. */
  typed: string;
  text: string;
  sort: (typeof sorts)[number];
  show: (typeof shows)[number];
  page: number;
  isFiltered: boolean;
}

export function readChoice(query: URLSearchParams): Choice {
  const typed = query.get('q') ?? '';
  const text = typed.trim();
  const show = shows.find((each) => each === query.get('show')) ?? 'all';
  return {
    typed,
    text,
    show,
    sort: sorts.find((each) => each === query.get('sort')) ?? 'changed',
    page: Math.max(1, Math.trunc(Number(query.get('page'))) || 1),
    isFiltered: text !== '' || show !== 'all',
  };
}

/** The chosen decks in the chosen order. */
export function chosen(rows: readonly DeckRow[], { text, sort, show }: Choice): DeckRow[] {
  const wanted = folded(text);
  return rows
    .filter(({ role }) => show === 'all' || (role === 'owner') === (show === 'own'))
    .filter(({ title }) => folded(title).includes(wanted))
    .sort(orders[sort]);
}

const titles = new Intl.Collator(undefined, { numeric: true });
const orders: Record<Choice['sort'], (a: DeckRow, b: DeckRow) => number> = {
  changed: (a, b) => b.updatedAt.localeCompare(a.updatedAt),
  title: (a, b) => titles.compare(a.title, b.title),
  views: (a, b) => b.totalViews - a.totalViews,
  viewed: (a, b) => (b.lastViewedAt ?? '').localeCompare(a.lastViewedAt ?? ''),
};

/** Without capitals and accents: “resume” finds “Résumé”. */
const folded = (text: string): string => text.normalize('NFD').replace(/\p{M}/gu, '').toLocaleLowerCase();
