import { Command, Option } from 'commander';
import { usageOf } from '../functions/src/policy/usage-caps';
import { fail } from '../functions/src/errors';
import { accountExportRef } from '../functions/src/records/account-exports';
import { listApiKeys } from '../functions/src/records/api-keys';
import { listCollaborators } from '../functions/src/records/collaborators';
import { read } from '../functions/src/records/database';
import {
  caseGroups,
  listOpenCases,
  listPlaceCounts,
  listReportPlaces,
  type CaseGroup,
} from '../functions/src/records/listing-reports';
import { listingRef, type Listing } from '../functions/src/records/listings';
import { listMailReports } from '../functions/src/records/mail-reports';
import { recordAction } from '../functions/src/records/operator-actions';
import { existing, usageRef } from '../functions/src/records/organization-usage';
import type { Organization } from '../functions/src/records/organizations';
import type { Presentation } from '../functions/src/records/presentations';
import { listLinks } from '../functions/src/records/share-links';
import { transact } from '../functions/src/records/transact';
import { userRef } from '../functions/src/records/users';
import { readViewTotals } from '../functions/src/records/view-counters';
import { performs } from './action';
import { moment, text, wholeNumber } from './command-line';
import { findDeck, findListing, findOrganization, ofOrganization } from './lookup';
import { describeReportedMails } from './mail-reports';
import { countReports, listTexts, reportersOf } from './reports';
import { inGroups } from './groups';
import { firstRemixes, type Remix } from './remixes';

/** The stored data that a command prints, and the target that the action's record names. */
interface Shown {
  target: string;
  stored: object;
}

/** A command that reads and changes nothing. The access is recorded all the same. */
const showing = <Options extends object>(look: (command: Command, options: Options) => Promise<Shown>) =>
  performs<Options>(async (options, entry, command) => {
    const { target, stored } = await look(command, options);
    return {
      question: null,
      run: async () => {
        await transact(async (tx) => recordAction(tx, { ...entry, at: new Date(), target }));
        return stored;
      },
    };
  });

export const show = new Command('show').description('print stored data, without secrets');

ofOrganization(show.command('export'))
  .description('print the last export of an account, and the objects of its parts; takes --organization or --email')
  .action(
    showing(async (command) => {
      const { organizationId: target } = await findOrganization(command);
      const [found] = await read(accountExportRef(target));
      if (!found) return fail('not-found', undefined, { message: 'The account has no export.' });
      const { exportId, status, requestedAt, expiresAt, progress, parts } = found;
      return { target, stored: { exportId, status, requestedAt, expiresAt, progress, parts } };
    }),
  );

ofOrganization(show.command('organization'))
  .description(
    'print an organization, its owner, its keys and the reports about its mails; takes --organization or --email',
  )
  .action(
    showing(async (command) => {
      const found = await findOrganization(command);
      return { target: found.organizationId, stored: await describeOrganization(found) };
    }),
  );

show
  .command('presentation')
  .description('print a deck, its links and its collaborators')
  .requiredOption('--presentation <id>', 'the id of the deck', text)
  .action(
    showing(async (command) => {
      const found = await findDeck(command);
      return { target: found.presentationId, stored: await describeDeck(found) };
    }),
  );

show
  .command('listing')
  .description('print a listing, the reports about it and the decks that were remixed from it')
  .requiredOption('--listing <slug>', 'the slug of the listing', text)
  .option('--limit <number>', 'how many reports and how many remixes: 1 to 5000', wholeNumber(1, 5000), 100)
  .action(
    showing<{ limit: number }>(async (command, { limit }) => {
      const found = await findListing(command);
      return { target: found.slug, stored: await describeListing(found, limit) };
    }),
  );

interface ReportsOptions {
  limit: number;
  by?: CaseGroup;
  before?: Date;
}

show
  .command('reports')
  .description(
    'print the newest reported listings that wait for a decision: first those that accounts reported; ' +
      'in each group those with the most reporters first',
  )
  .option('--limit <number>', 'how many listings: 1 to 500', wholeNumber(1, 500), 50)
  .addOption(new Option('--by <group>', 'only the listings that accounts reported, or all others').choices(caseGroups))
  .option(
    '--before <time>',
    'only listings whose newest report is earlier; takes --by. To see the next page, give the earliest ' +
      'lastAccountReportAt of a page, for the others the earliest lastReportedAt',
    moment,
  )
  .action(
    showing<ReportsOptions>(async (command, options) => {
      if (options.before && !options.by) command.error('show reports needs --by together with --before.');
      return { target: 'reports', stored: await describeReportedListings(options) };
    }),
  );

show
  .command('mail-reports')
  .description('print the organizations whose mails recipients reported, the newest report first')
  .option('--limit <number>', 'how many organizations: 1 to 500', wholeNumber(1, 500), 50)
  .action(
    showing<{ limit: number }>(async (_command, { limit }) => ({
      target: 'mail-reports',
      stored: await describeReportedMails(limit),
    })),
  );

/** Leaves out every secret: keys are listed without their hashes. */
async function describeOrganization({ logo, ...organization }: Organization): Promise<object> {
  const { organizationId, ownerId } = organization;
  const [[owner, counted], keys, mailReports] = await Promise.all([
    read(userRef(ownerId), usageRef(organizationId)),
    listApiKeys(organizationId),
    listMailReports(organizationId),
  ]);
  const usage = usageOf(existing(counted, organizationId), new Date());
  return { ...organization, hasLogo: logo !== null, owner: owner ?? null, usage, keys, mailReports };
}

/** Leaves out every secret: links are listed without their tokens, codes, passcodes, readers, and hashes of these. */
async function describeDeck(found: Presentation): Promise<object> {
  const { firstTokens: _first, latestTokens: _latest, viewShards: _shards, ...deck } = found;
  const [[owner], [views], tokens, collaborators] = await Promise.all([
    read(userRef(deck.ownerId)),
    readViewTotals([found]),
    listLinks(found),
    listCollaborators(deck.presentationId),
  ]);
  const links = tokens.map(({ hash: _hash, sealed: _sealed, short, passcode, readers, ...link }) => ({
    ...link,
    hasShortUrl: short !== null,
    hasPasscode: passcode !== null,
    allowedEmailCount: readers?.length ?? null,
  }));
  return { ...deck, ...views, ownerEmail: owner?.email ?? null, links, collaborators };
}

async function describeListing(listing: Listing, limit: number): Promise<object> {
  const [[owner], places, { remixes, hasMore }] = await Promise.all([
    read(userRef(listing.ownerId)),
    listReportPlaces(listing.slug),
    firstRemixes(listing, limit),
  ]);
  return {
    ...listing,
    ownerEmail: owner?.email ?? null,
    ...countReports(places),
    reports: listTexts(places, limit),
    remixes: remixes.map(describeRemix),
    hasMoreRemixes: hasMore,
  };
}

/** A remix of a listing, or of another remix. `listing` is null for a deck that is not published. */
function describeRemix({ deck, listing }: Remix): object {
  const { presentationId, title, ownerId, remixedFrom, takedown } = deck;
  const published = listing && { slug: listing.slug, status: listing.status, takedown: listing.takedown };
  return { presentationId, title, ownerId, remixedFrom, takedown, listing: published ?? null };
}

/** One entry for each listing with open reports, however many reports it has. Reads at most 360 places of each. */
async function describeReportedListings({ limit, by, before }: ReportsOptions): Promise<object[]> {
  const shown: object[] = [];
  for (const group of caseGroups) {
    const room = limit - shown.length;
    if (room > 0 && (!by || by === group)) shown.push(...(await describeGroup(group, room, before)));
  }
  return shown;
}

/** The newest cases of a group. Those with the most reporters come first: one account can report many listings. */
async function describeGroup(group: CaseGroup, limit: number, before: Date | undefined): Promise<object[]> {
  const cases = await listOpenCases(group, limit, before);
  if (cases.length === 0) return [];
  const [listings, places] = await Promise.all([
    read(...cases.map(({ slug }) => listingRef(slug))),
    inGroups(cases, ({ slug }) => listPlaceCounts(slug)),
  ]);
  const described = cases.map(({ slug, lastReportedAt, lastAccountReportAt = null }, i) => {
    const { title, status, ownerId, presentationId, takedown, deletedAt } = listings[i] ?? {};
    const { accountReports, otherReports } = countReports(places[i]!);
    return {
      reporters: reportersOf(group === 'accounts' ? accountReports : otherReports),
      entry: {
        slug,
        accountReports,
        otherReports,
        lastAccountReportAt,
        lastReportedAt,
        title,
        status,
        ownerId,
        presentationId,
        takedown,
        deletedAt,
      },
    };
  });
  // The sort is stable: cases with as many reporters stay newest first.
  return described.sort((a, b) => b.reporters - a.reporters).map(({ entry }) => entry);
}
