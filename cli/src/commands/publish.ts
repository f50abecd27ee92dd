import { randomUUID } from 'node:crypto';
import { Command, Option } from 'commander';
import { commandLine } from '../command-line';
import type { AddressOptions } from '../address';
import { changeDeckFile, type DeckFile } from '../../../client/src/deck-file';
import { Failure, isFailure, usageFailure } from '../../../client/src/failure';
import { plain } from '../../../client/src/format';
import { confirmFolder } from '../confirm-folder';
import { listingKinds } from '../listing-choices';
import { rememberOrWarn } from '../remember';
import { withDeck } from '../session';
import type { Contract } from '../../../client/src/service/contract';
import type { DeckService } from '../../../client/src/service/service';
import { normalizeText, textProblems } from '../../../functions/src/values/human-text';
import type { Terminal } from '../terminal';
import { deckArgument } from './deck-option';
import { wholeNumber } from './option-values';

type NewListing = Contract['publishMarketplaceListing']['input'];

interface PublishOptions extends AddressOptions {
  description?: string;
  kind?: NewListing['kind'];
  title?: string;
  slug?: string;
  tag?: string[];
  stack?: string[];
  category?: string;
  interactive?: boolean;
  version?: number;
}

const HELP = `
A listing shows one version, and a later push does not change it. Publish again to show the current version: this
changes only the fields that you name. The key needs the scope marketplace:publish: run \`deck login --publish\`.`;

export function publishCommand(terminal: Terminal): Command {
  return new Command('publish')
    .description('publish a deck in the marketplace, or update its listing')
    .argument('[deck]', deckArgument, '.')
    .option('--description <text>', 'what the deck is, in one or two lines; required for a new listing')
    .addOption(new Option('--kind <kind>', 'the kind of the deck (default: presentation)').choices(listingKinds))
    .option('--title <title>', "the listing's title (default: the deck's)")
    .option('--slug <slug>', 'the last part of its address, which cannot change (default: made from the title)')
    .option('--tag <tag>', 'a tag of the listing; may be repeated', collect)
    .option('--stack <technology>', 'a technology of the deck, such as reveal.js; may be repeated', collect)
    .option('--category <name>', 'a category of your choice')
    .option('--interactive', 'the deck reacts to its viewer; an app always does')
    .option('--no-interactive', 'the deck does not react to its viewer (default)')
    .option('--version <number>', 'the version to show (default: the current one)', wholeNumber)
    .addHelpText('after', HELP)
    .action((deck: string, _options, self: Command) => runPublish(deck, self.optsWithGlobals(), terminal));
}

/** Collects the values of an option that may be repeated. */
function collect(text: string, before: string[] = []): string[] {
  return [...before, text];
}

/** The part of the JSON answer that describes the listing. */
interface Outcome {
  status: 'published' | 'updated';
  slug: string;
  kind: NewListing['kind'];
  interactive: boolean;
  version: number;
  marketplaceUrl: string;
  takedown?: { at: string; reason: string } | null | undefined;
}

/**
 * Publishes the deck in the marketplace. A deck has at most one listing. If there is one already, it becomes public,
 * shows the version of `--version` or else the current one, and gets the fields that the options name.
 */
async function runPublish(target: string, options: PublishOptions, terminal: Terminal): Promise<void> {
  await withDeck(target, options, terminal, async ({ service, baseUrl, presentationId, pushed }) => {
    if (!pushed) {
      const deck = { presentationId };
      return show(await publishListed(service, deck, options, terminal), deck, terminal);
    }
    const { folder, deckFile } = pushed;
    const { listing } = deckFile;
    const otherwise = `If you mean this deck, push the folder first: ${commandLine('push', target, '--deck', presentationId)}`;
    await confirmFolder(service, { folder, baseUrl, presentationId, listing }, otherwise, terminal);
    const outcome = await publishOrUpdate(service, deckFile, options, terminal).catch((error: unknown) => {
      throw explainRefusal(error, deckFile);
    });
    if (outcome.slug !== listing) await storeListing(folder, outcome.slug, terminal);
    show(outcome, deckFile, terminal);
  });
}

/** A deck, with its listing and its title as far as they are known. */
type PublishedDeck = Pick<DeckFile, 'presentationId' | 'listing' | 'title'>;

/** Publishes a deck of which only the id is known: the service knows its listing. */
async function publishListed(
  service: DeckService,
  deck: PublishedDeck,
  options: PublishOptions,
  terminal: Terminal,
): Promise<Outcome> {
  const { presentationId } = deck;
  try {
    const { listingSlug } = await service.get('getSharedPresentationInfo', { presentationId });
    const listed = listingSlug === null ? deck : { ...deck, listing: listingSlug };
    return await publishOrUpdate(service, listed, options, terminal);
  } catch (error) {
    throw explainRefusal(error, deck);
  }
}

async function publishOrUpdate(
  service: DeckService,
  { presentationId, listing }: PublishedDeck,
  options: PublishOptions,
  terminal: Terminal,
): Promise<Outcome> {
  if (listing !== undefined) return update(service, presentationId, listing, options);
  const { slug, kind = 'presentation', version } = options;
  const description = options.description ?? (await askDescription(service, terminal));
  const body: NewListing = { presentationId, slug, version, ...fieldsOf(options), kind, description };
  try {
    const made = await service.post('publishMarketplaceListing', body, { idempotencyKey: randomUUID() });
    return { ...made, status: 'published' };
  } catch (error) {
    const earlier = listingOf(error);
    if (earlier === undefined) throw error;
    return update(service, presentationId, earlier, { ...options, description });
  }
}

/**
 * The slug of the deck's listing, from the conflict that reports it. A slug that another listing has is a conflict
 * without it.
 */
function listingOf(error: unknown): string | undefined {
  if (!isFailure(error, 'conflict')) return undefined;
  const { slug, reason } = (error.details ?? {}) as Record<string, unknown>;
  return reason === 'deck-is-listed' && typeof slug === 'string' ? slug : undefined;
}

async function update(
  service: DeckService,
  presentationId: string,
  slug: string,
  options: PublishOptions,
): Promise<Outcome> {
  if (options.slug !== undefined && options.slug !== slug)
    throw new Failure(`This deck is already listed as ${slug}, and the slug of a listing cannot change.`, {
      code: 'conflict',
      nextAction: 'Omit --slug to update that listing.',
      details: { slug },
    });
  const version = options.version ?? (await service.get('getSharedPresentationInfo', { presentationId })).version;
  const changes = { ...fieldsOf(options), kind: options.kind, description: options.description };
  const listing = await service.post('updateMarketplaceListing', { slug, status: 'public', version, ...changes });
  // The service accepts the update of a listing that an operator took down, but does not show the listing.
  const { takedown } = await service.get('getMarketplaceListing', { slug });
  const { kind, interactive, marketplaceUrl } = listing;
  return { status: 'updated', slug, kind, interactive, version: listing.version, marketplaceUrl, takedown };
}

/** The fields that have an option. JSON omits those that are undefined. */
const fieldsOf = ({ title, tag, stack, category, interactive }: PublishOptions) => ({
  title,
  category,
  interactive,
  tags: tag,
  techStack: stack,
});

async function askDescription(service: DeckService, terminal: Terminal): Promise<string> {
  if (!terminal.canPrompt)
    throw usageFailure(
      'A new listing needs a description.',
      'Describe the deck in one or two lines with --description <text>.',
    );
  // The scope is checked before the question, so that the user does not write a description in vain.
  const { scopes } = await service.post('verifyApiKey', {});
  if (!scopes.includes('marketplace:publish'))
    throw new Failure('This key may not publish to the marketplace.', {
      code: 'permission-denied',
      details: { requiredScope: 'marketplace:publish' },
    });
  return terminal.ask('Description, in one or two lines:', (typed) => {
    const text = normalizeText(typed);
    return text.length >= 1 && text.length <= 500 ? textProblems(text)[0] : 'A description has 1 to 500 characters.';
  });
}

function explainRefusal(error: unknown, { presentationId, listing }: PublishedDeck): unknown {
  if (isFailure(error, 'expired'))
    return error.with({
      nextAction: `Make a new deck of this folder with \`${commandLine('push', '--new', '<folder>')}\`, then publish that deck.`,
    });
  if (!isFailure(error, 'not-found', 'permission-denied') || (error.details && 'requiredScope' in error.details))
    return error;
  const what = listing === undefined ? `The deck ${presentationId}` : `The listing ${listing}, or its deck,`;
  return error.with({
    message: `${error.message} ${what} does not exist, or this key may not publish it.`,
    nextAction: `Check \`${commandLine('whoami')}\` and \`${commandLine('list')}\`; only the owner of a deck can publish it.`,
  });
}

async function storeListing(folder: string, listing: string, terminal: Terminal): Promise<void> {
  const deckFile = changeDeckFile(folder, (file) => file && { ...file, listing });
  await rememberOrWarn(deckFile, terminal, 'To unlist the deck, name the slug.');
}

function show(outcome: Outcome, { presentationId, title }: PublishedDeck, terminal: Terminal): void {
  const { status, slug, version, marketplaceUrl, takedown } = outcome;
  const { green, bold, cyan } = terminal.colors;
  const what = title === undefined ? 'the deck' : bold(plain(title));
  if (status === 'published') terminal.say(`${green('✓')} Published version ${version} of ${what} as ${bold(slug)}`);
  else {
    terminal.say(`${green('✓')} Updated the listing ${bold(slug)}, which now shows version ${version}`);
  }
  terminal.say(`\n  ${cyan(marketplaceUrl)}\n`);
  if (takedown) terminal.warn(`An operator took this listing down. It is not shown. Reason: ${plain(takedown.reason)}`);
  terminal.answer({ presentationId, ...outcome });
}
