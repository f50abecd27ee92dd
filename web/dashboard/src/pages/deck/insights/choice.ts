import type { Answer } from '../../../service';

const spans = ['7', '30', '90'] as const;
export type Span = (typeof spans)[number] | 'own';
const DAY_MS = 86_400_000;
const MAX_DAYS = 400;

/** Which visits the page is about, as the query of the address says it. */
export interface Choice {
  span: Span;
  /** Days in UTC. */
  from: string;
  to: string;
  /** One link or one version: the service has no figures of both. */
  tokenId: string | undefined;
  version: number | undefined;
}

export const today = (): string => new Date().toISOString().slice(0, 10);
const daysBefore = (day: string, days: number) => new Date(Date.parse(day) - days * DAY_MS).toISOString().slice(0, 10);

/** Whether the service takes the days as a range. */
export function isRange(from: string, to: string): boolean {
  const days = (Date.parse(to) - Date.parse(from)) / DAY_MS + 1;
  return days >= 1 && days <= MAX_DAYS;
}

export function readChoice(query: URLSearchParams): Choice {
  const [from, to] = [query.get('from') ?? '', query.get('to') ?? ''];
  const span = isRange(from, to) ? 'own' : (spans.find((each) => each === query.get('days')) ?? '30');
  const last = today();
  return {
    span,
    ...(span === 'own' ? { from, to } : { from: daysBefore(last, Number(span) - 1), to: last }),
    tokenId: query.get('link') ?? undefined,
    version: Math.trunc(Number(query.get('version'))) || undefined,
  };
}

export type Insights = Answer<'getPresentationInsights'>;
export type View = Answer<'listPresentationViews'>['views'][number];
