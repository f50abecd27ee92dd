import { events, type EventType } from '../../words/events';

/** Which events the person wants to see, as the query of the address says it. */
export interface Choice {
  type: EventType | undefined;
  deck: string | undefined;
}

export const eventTypes = Object.keys(events.names) as EventType[];

export const readChoice = (query: URLSearchParams): Choice => ({
  type: eventTypes.find((type) => type === query.get('type')),
  deck: query.get('deck') || undefined,
});
