import type { Failure } from '../../../client/src/failure';
import type { Contract } from '../../../client/src/service/contract';
import type { DeckService } from '../../../client/src/service/service';
import { aboutDeck, explainField } from './deck-failure';
import { findLink } from './links';

export type View = Contract['listPresentationViews']['answer']['views'][number];
export type Insights = Contract['getPresentationInsights']['answer'];
export type OrganizationInsights = Contract['getOrganizationInsights']['answer'];
export type Tracking = Contract['setPresentationTracking']['answer']['tracking'];

/** Days in UTC, such as `2026-03-14`. */
export interface Days {
  from?: string | undefined;
  to?: string | undefined;
}

interface OfLink {
  presentationId: string;
  /** The words that name the deck in hints. */
  deckWords: readonly string[];
  /** The name or the id of the only link that counts. */
  link?: string | undefined;
}

interface ViewQuery extends OfLink, Days {
  email?: string | undefined;
  version?: number | undefined;
}

/** A page of the views of a deck, newest first. */
export async function listViews(
  service: DeckService,
  { limit, cursor, ...query }: ViewQuery & { limit: number; cursor?: string | undefined },
): Promise<Contract['listPresentationViews']['answer']> {
  const wanted = { ...(await filtersOf(service, query)), limit, cursor };
  return aboutDeck(query.presentationId, service.get('listPresentationViews', wanted), explainFilter);
}

/** Hands over the views of a deck as CSV in pieces, newest first. */
export async function exportViews(
  service: DeckService,
  query: ViewQuery,
  onReceived: (bytes: Uint8Array) => void | Promise<void>,
): Promise<void> {
  const wanted = { ...(await filtersOf(service, query)), format: 'csv' } as const;
  await aboutDeck(query.presentationId, service.exportViews(wanted, onReceived), explainFilter);
}

async function filtersOf(service: DeckService, { deckWords, link, version, ...filters }: ViewQuery) {
  const { presentationId } = filters;
  const tokenId = await tokenIdOf(service, { presentationId, deckWords, link });
  return { ...filters, tokenId, version: version === undefined ? undefined : String(version) };
}

/** The figures of a deck, or of one of its links or versions. */
export async function readInsights(
  service: DeckService,
  { presentationId, deckWords, link, version, ...days }: OfLink & Days & { version?: number },
): Promise<Insights> {
  const tokenId = await tokenIdOf(service, { presentationId, deckWords, link });
  const answer = service.get('getPresentationInsights', {
    presentationId,
    tokenId,
    version: version === undefined ? undefined : String(version),
    ...days,
  });
  return aboutDeck(presentationId, answer, explainFilter);
}

/** The figures of all decks of the caller's organization. */
export async function readOrganizationInsights(service: DeckService, days: Days): Promise<OrganizationInsights> {
  try {
    return await service.get('getOrganizationInsights', days);
  } catch (error) {
    throw explainFilter(error) ?? error;
  }
}

/** Sets what is recorded of readers from now on: their visits, or only how often the deck is loaded. */
export async function setTracking(
  service: DeckService,
  input: { presentationId: string; tracking: Tracking },
): Promise<Tracking> {
  return (await aboutDeck(input.presentationId, service.post('setPresentationTracking', input))).tracking;
}

/** A revoked link has views too. */
async function tokenIdOf(service: DeckService, { link, ...deck }: OfLink): Promise<string | undefined> {
  return link === undefined ? undefined : (await findLink(service, { ...deck, link }, 'also-revoked')).id;
}

const explainFilter = (error: unknown): Failure | undefined =>
  explainField(error, 'from', 'wrong-day') ??
  explainField(error, 'to', 'wrong-day') ??
  explainField(error, 'version', 'no-such-version');
