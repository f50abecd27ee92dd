import { z } from 'zod';
import { dayRange, organizationInsights, rangeOf, rangeProblem, rangeRule } from '../../contract/view-fields';
import { tokenNames } from '../../decks/view-rows';
import { viewSummary } from '../../rows/decks';
import { asMember } from '../../http/caller';
import { endpoint } from '../../http/endpoint';
import { hasAll, largestParts, partsOf, summaryOf } from '../../policy/insight-figures';
import { readFields } from '../../records/database';
import { readFigures } from '../../records/insights';
import { presentationRef } from '../../records/presentations';
import { listLatestViews } from '../../records/views';
import { daysBetween } from '../../values/days';
import { countPeople } from '../../values/people-sketch';

const LATEST = 20;
/** The decks with the most views that are looked up, so that 100 are shown also when some of them were deleted. */
const CANDIDATES = 150;

export const Input = z.object(dayRange).refine(rangeRule, rangeProblem);

export const Answer = organizationInsights;

export const getOrganizationInsights = endpoint({
  name: 'getOrganizationInsights',
  about:
    'Returns the figures of the decks that belong to the organization in a range of at most 400 days, by day and by ' +
    'deck, and the 20 newest views.',
  method: 'GET',
  caller: { scope: 'presentations:read' },
  input: Input,
  answer: Answer,
  errors: [],
  runtime: { class: 'hot' },
  cost: { roundTrips: 5, reads: 290, writes: 0 },

  async handle({ input, caller, now }) {
    const { organizationId } = asMember(caller);
    const { from, to } = rangeOf(input, now);
    const [figures, latest] = await Promise.all([
      readFigures({ organizationId }, from, to),
      listLatestViews(organizationId, LATEST),
    ]);
    const largest = largestParts(figures).slice(0, CANDIDATES);
    const ids = [...new Set([...largest.map(([id]) => id), ...latest.map(({ presentationId }) => presentationId)])];
    const [found, names] = await Promise.all([readFields(ids.map((id) => presentationRef(id))), tokenNames(latest)]);
    const titles = new Map(found.flatMap((deck) => (deck ? [[deck.presentationId, deck.title]] : [])));
    const decks = partsOf(figures, (id) => titles.has(id));
    return {
      from,
      to,
      ...summaryOf(figures, daysBetween(from, to)),
      byDeck: decks.shown.map(([presentationId, { views, people, seconds }]) => ({
        presentationId,
        title: titles.get(presentationId)!,
        views,
        people: countPeople(people),
        seconds,
      })),
      other: { byDeck: decks.other },
      latestViews: latest.flatMap((view) => {
        const title = titles.get(view.presentationId);
        const { presentationId, tokenId } = view;
        return title === undefined ? [] : [{ presentationId, title, ...viewSummary(view, names.get(tokenId)!) }];
      }),
      isComplete: hasAll(figures) && latest.every(({ waiting }) => waiting === null),
    };
  },
});
