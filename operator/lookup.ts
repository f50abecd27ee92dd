import { fail } from '../functions/src/errors';
import { isId } from '../functions/src/values/ids';
import { listApiKeys } from '../functions/src/records/api-keys';
import { listCollaborators } from '../functions/src/records/collaborators';
import { read } from '../functions/src/records/database';
import { readListing } from '../functions/src/records/listing-counters';
import { listOpenCases, listReports } from '../functions/src/records/listing-reports';
import { listingRef, type Listing } from '../functions/src/records/listings';
import { organizationRef, type Organization } from '../functions/src/records/organizations';
import { presentationRef, type Presentation } from '../functions/src/records/presentations';
import { listShareTokens } from '../functions/src/records/share-tokens';
import { transact } from '../functions/src/records/transact';
import { findUserByEmail, userRef } from '../functions/src/records/users';
import { readViewTotals } from '../functions/src/records/view-counters';
import { oneOf, required, UsageError, type CommandLine } from './options';

/** The organization that --organization or --email names; not-found when there is none. */
export async function findOrganization(line: CommandLine): Promise<Organization> {
  const { option, value } = oneOf(line, 'organization', 'email');
  const id = option === 'email' ? await organizationOfOwner(value.trim().toLowerCase()) : value;
  const [found] = id.includes('/') ? [] : await read(organizationRef(id));
  return found ?? fail('not-found', undefined, { message: 'There is no such organization.' });
}

async function organizationOfOwner(email: string): Promise<string> {
  const owner = await transact((tx) => findUserByEmail(tx, email));
  const message = owner ? 'The account has no organization.' : 'This address has no account.';
  return owner?.organizationId ?? fail('not-found', undefined, { message });
}

/** The deck that --presentation names; not-found when there is none. */
export async function findDeck(line: CommandLine): Promise<Presentation> {
  const id = required(line, 'presentation');
  const [found] = isId(id) ? await read(presentationRef(id)) : [];
  return found ?? fail('not-found', undefined, { message: 'There is no such deck.' });
}

/** The listing that --listing names; not-found when there is none. */
export async function findListing(line: CommandLine): Promise<Listing> {
  const slug = required(line, 'listing');
  const found = /^[a-z0-9-]+$/.test(slug) ? await readListing(slug) : undefined;
  return found ?? fail('not-found', undefined, { message: 'There is no such listing.' });
}

/** An organization with its owner and its keys, without anything that opens a door. */
export async function showOrganization(id: string): Promise<object> {
  const [found] = await read(organizationRef(id));
  const { logo, ...organization } = found!;
  const [[owner], keys] = await Promise.all([read(userRef(organization.ownerId)), listApiKeys(id)]);
  return { ...organization, hasLogo: logo !== null, owner: owner ?? null, keys };
}

/** A deck with its links and people, without anything that opens a door. */
export async function showPresentation(id: string): Promise<object> {
  const [found] = await read(presentationRef(id));
  const { firstToken: _first, latestToken: _latest, viewShards: _shards, ...deck } = found!;
  const [[owner], [views], tokens, collaborators] = await Promise.all([
    read(userRef(deck.ownerId)),
    readViewTotals([found!]),
    listShareTokens(id),
    listCollaborators(id),
  ]);
  const links = tokens.map(({ hash: _hash, sealed: _sealed, ...link }) => link);
  return { ...deck, ...views, ownerEmail: owner?.email ?? null, links, collaborators };
}

/** A listing with everything that is kept of what was reported of it. */
export async function showListing(slug: string): Promise<object> {
  const listing = (await readListing(slug))!;
  const [[owner], reports] = await Promise.all([read(userRef(listing.ownerId)), listReports(slug)]);
  return { ...listing, ownerEmail: owner?.email ?? null, reports };
}

const LISTED = 50;
const MOST_LISTED = 500;

/** The listings with reports that nobody has dealt with, the newest report first: a line for each, however many reports there are. */
export async function showReports(_target: string, { values }: CommandLine): Promise<object> {
  const limit = Number(values.limit ?? LISTED);
  if (!(Number.isInteger(limit) && limit >= 1 && limit <= MOST_LISTED)) {
    throw new UsageError(`--limit is a whole number from 1 to ${MOST_LISTED}.`);
  }
  const cases = await listOpenCases(limit);
  if (cases.length === 0) return [];
  const listings = await read(...cases.map(({ slug }) => listingRef(slug)));
  return cases.map(({ slug, lastReportedAt, counts }, i) => {
    const { title, status, ownerId, presentationId, takedown, deletedAt } = listings[i] ?? {};
    return { slug, lastReportedAt, reports: counts, title, status, ownerId, presentationId, takedown, deletedAt };
  });
}
