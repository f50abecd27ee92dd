import { activity } from '../../words/activity';
import type { EventType, FeedEvent } from '../../words/events';

/** What an event is about: its title, and the page that shows it. A deleted deck has no page. */
interface Subject {
  text: string;
  href?: string;
}

/** The tab of a deck for what is not about its versions, by the noun of the type. */
const tabs: Partial<Record<string, string>> = {
  link: 'links',
  view: 'insights',
  collaborator: 'people',
  email: 'mails',
};
const pages: Partial<Record<string, keyof typeof activity.places>> = {
  key: 'keys',
  session: 'settings',
  account: 'settings',
  webhook: 'webhooks',
  deliveries: 'webhooks',
};
const nounOf = (type: EventType) => type.split('.')[0]!;

export function subjectOf({ type, data, presentationId }: FeedEvent): Subject | undefined {
  const noun = nounOf(type);
  if ('listing' in data) return { text: data.listing.title, href: `/marketplace/${data.listing.slug}` };
  const title = 'title' in data ? data.title : 'presentation' in data ? data.presentation.title : undefined;
  if (title !== undefined && presentationId !== null) {
    if (type === 'presentation.deleted') return { text: title };
    const tab = type === 'link.opened' ? 'insights' : (tabs[noun] ?? 'versions');
    return { text: title, href: `/dashboard/decks/${encodeURIComponent(presentationId)}/${tab}` };
  }
  const page = pages[noun];
  return page && { text: activity.places[page], href: `/dashboard/${page}` };
}
