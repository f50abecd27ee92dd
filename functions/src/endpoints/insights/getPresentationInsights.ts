import { z } from 'zod';
import { notBothOf, presentationId, tokenId, versionNumber } from '../../contract/fields';
import { dayRange, insights, rangeOf, rangeProblem, rangeRule } from '../../contract/view-fields';
import { endpoint } from '../../http/endpoint';
import { devicesOf, hasAll, hostsOf, partsOf, slidesOf, summaryOf } from '../../policy/insight-figures';
import { read } from '../../records/database';
import { readFigures } from '../../records/insights';
import { readLinkTotals } from '../../records/link-totals';
import { presentationRef } from '../../records/presentations';
import { hasWaitingViews } from '../../records/views';
import { daysBetween } from '../../values/days';
import { countPeople } from '../../values/people-sketch';

export const Input = z
  .object({
    presentationId,
    ...dayRange,
    tokenId: tokenId.optional().meta({ description: 'Only views through this link.' }),
    version: versionNumber.optional().meta({ description: 'Only views of this version.', example: 2 }),
  })
  .refine(rangeRule, rangeProblem)
  .refine((input) => input.tokenId === undefined || input.version === undefined, {
    path: ['version'],
    error: 'Send tokenId or version, not both.',
  })
  .meta(notBothOf('tokenId', 'version'));

export const Answer = insights;

export const getPresentationInsights = endpoint({
  name: 'getPresentationInsights',
  about:
    'Returns the figures of a deck in a range of at most 400 days: views, people, active time, and how far readers ' +
    'came, by day, link, slide, device and referring host. A view is in them after 2 minutes.',
  method: 'GET',
  path: ['presentationId'],
  caller: { scope: 'presentations:read', deck: 'owner', refusesAdmin: true },
  input: Input,
  answer: Answer,
  errors: ['not-found'],
  cost: { roundTrips: 4, reads: 100, writes: 0 },

  async handle({ input, authorize, now }) {
    const { presentationId: id, tokenId: ofLink, version } = input;
    const [deck] = await read(presentationRef(id));
    authorize(deck);
    const { from, to } = rangeOf(input, now);
    const [figures, isBehind] = await Promise.all([
      readFigures({ presentationId: id, tokenId: ofLink, version }, from, to),
      hasWaitingViews(id),
    ]);
    const links = partsOf(figures);
    const names = await readLinkTotals(
      id,
      links.shown.map(([of]) => of),
    );
    const [slides, hosts] = [slidesOf(figures), hostsOf(figures)];
    return {
      from,
      to,
      ...summaryOf(figures, daysBetween(from, to)),
      byLink: links.shown.map(([of, { views, seconds, people, lastSeenAt }]) => ({
        tokenId: of,
        tokenName: names.get(of)?.name ?? '',
        views,
        people: countPeople(people),
        seconds,
        lastSeenAt: new Date(lastSeenAt).toISOString(),
      })),
      bySlide: slides.bySlide,
      byDevice: devicesOf(figures),
      byReferrer: hosts.byReferrer,
      other: { byLink: links.other, bySlide: slides.other, byReferrer: hosts.other },
      isComplete: !isBehind && hasAll(figures),
    };
  },
});
