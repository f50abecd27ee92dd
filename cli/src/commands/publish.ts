import { randomUUID } from 'node:crypto';
import { Command, Option } from 'commander';
import type { DeckFile } from '../deck-file';
import { writeDeckFile } from '../deck-file';
import { Failure, isFailure, systemCode, usageFailure } from '../failure';
import { requireKey } from '../keys';
import { requirePushedDeck } from '../pushed-deck';
import { connect } from '../service/connect';
import type { Contract } from '../service/contract';
import type { Service } from '../service/service';
import type { Terminal } from '../terminal';
import { plain } from '../terminal';
import { several, wholeNumber } from './option-values';

type NewListing = Contract['publishMarketplaceListing']['input'];

const listingKinds = ['presentation', 'app', 'plan'] as const satisfies NewListing['kind'][];

interface PublishOptions {
  baseUrl?: string;
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

const publishHelp = `
A listing shows one version: later pushes do not change what it shows, until the deck is published again. Then only
what is named is changed, and the listing shows the current version. It takes a key that may publish: \`deck login --publish\`.`;

export function publishCommand(terminal: Terminal): Command {
  return new Command('publish')
    .description("put a pushed folder's deck into the marketplace, or renew its listing")
    .argument('[folder]', 'the folder that was pushed', '.')
    .option('--description <text>', 'what it is, in a line or two; a new listing needs it')
    .addOption(new Option('--kind <kind>', 'what it is (default: presentation)').choices(listingKinds))
    .option('--title <title>', "the listing's title (default: the deck's)")
    .option('--slug <slug>', 'its address in the marketplace, for good (default: made from the title)')
    .option('--tag <tag>', 'a word to find it by; may be repeated', several)
    .option('--stack <technology>', 'what it is built with, such as reveal.js; may be repeated', several)
    .option('--category <name>', 'a category of your choice')
    .option('--interactive', 'it reacts to who views it, as an app always does')
    .option('--no-interactive', 'it does not (default)')
    .option('--version <number>', 'the version to show (default: the current one)', wholeNumber)
    .addHelpText('after', publishHelp)
    .action((folder: string, _options, self: Command) => runPublish(folder, self.optsWithGlobals(), terminal));
}

/** What is told of a listing that was made or renewed. */
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
 * `deck publish [folder]`: lists the deck in the marketplace. A deck has one listing for good: where there is one it is made public again
 * and shows the current version, and what the options say is changed.
 */
async function runPublish(folderName: string, options: PublishOptions, terminal: Terminal): Promise<void> {
  const { folder, deckFile, address } = await requirePushedDeck(folderName, options.baseUrl);
  const service = connect(address.baseUrl, terminal, await requireKey(address));
  try {
    const outcome = await publishOrUpdate(service, deckFile, options, terminal).catch((error: unknown) => {
      throw explainDeck(error, deckFile);
    });
    if (outcome.slug !== deckFile.listing) await remember(folder, { ...deckFile, listing: outcome.slug }, terminal);
    tell(outcome, deckFile, terminal);
  } finally {
    service.close();
  }
}

async function publishOrUpdate(
  service: Service,
  deckFile: DeckFile,
  options: PublishOptions,
  terminal: Terminal,
): Promise<Outcome> {
  const { presentationId, listing } = deckFile;
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

/** The listing that the deck has already, told with a conflict; a slug that somebody else has is a conflict, too. */
function listingOf(error: unknown): string | undefined {
  if (!isFailure(error, 'conflict')) return undefined;
  const { slug, reason } = (error.details ?? {}) as Record<string, unknown>;
  return reason === 'deck-is-listed' && typeof slug === 'string' ? slug : undefined;
}

async function update(
  service: Service,
  presentationId: string,
  slug: string,
  options: PublishOptions,
): Promise<Outcome> {
  if (options.slug !== undefined && options.slug !== slug)
    throw new Failure(`This deck is listed as ${slug} already, and a listing keeps its slug for good.`, {
      code: 'conflict',
      nextAction: 'Leave --slug away to renew that listing.',
      details: { slug },
    });
  const version = options.version ?? (await service.get('getSharedPresentationInfo', { presentationId })).version;
  const changes = { ...fieldsOf(options), kind: options.kind, description: options.description };
  const listing = await service.post('updateMarketplaceListing', { slug, status: 'public', version, ...changes });
  // An update is taken from an owner whose listing an operator keeps shut, but shows nothing to anybody.
  const { takedown } = await service.get('getMarketplaceListing', { slug });
  const { kind, interactive, marketplaceUrl } = listing;
  return { status: 'updated', slug, kind, interactive, version: listing.version, marketplaceUrl, takedown };
}

/** What is left out of the options is undefined, and not sent. */
const fieldsOf = ({ title, tag, stack, category, interactive }: PublishOptions) => ({
  ...{ title, category, interactive },
  ...{ tags: tag, techStack: stack },
});

async function askDescription(service: Service, terminal: Terminal): Promise<string> {
  if (!terminal.canPrompt)
    throw usageFailure(
      'A new listing needs a description.',
      'Say what it is, in a line or two, with --description <text>.',
    );
  // Before somebody writes in vain.
  const { scopes } = await service.post('verifyApiKey', {});
  if (!scopes.includes('marketplace:publish'))
    throw new Failure('This key may not publish to the marketplace.', {
      code: 'permission-denied',
      details: { requiredScope: 'marketplace:publish' },
    });
  return terminal.ask('What is it, in a line or two?', (text) =>
    text.length >= 1 && text.length <= 500 ? undefined : 'A description has 1 to 500 characters.',
  );
}

function explainDeck(error: unknown, { presentationId, listing }: DeckFile): unknown {
  if (isFailure(error, 'invalid-argument')) return inOptions(error);
  if (isFailure(error, 'expired'))
    return error.with({ nextAction: 'Make a new deck of this folder with `deck push --new`, then publish that.' });
  if (!isFailure(error, 'not-found', 'permission-denied') || (error.details && 'requiredScope' in error.details))
    return error;
  const what = listing === undefined ? `The deck ${presentationId}` : `The listing ${listing}, or its deck,`;
  return error.with({
    message: `${error.message} ${what} is gone, or is not this key's to publish.`,
    nextAction: 'Check `deck whoami` and `deck list`; only the owner of a deck can publish it.',
  });
}

/** The fields that the service refuses, by the options that fill them. */
function inOptions(failure: Failure): Failure {
  const { errors } = (failure.details ?? {}) as { errors?: { location: string; message: string }[] };
  if (!Array.isArray(errors)) return failure;
  const named = errors.map(({ location, message }) => {
    const field = /^body\.(\w+)/.exec(location)?.[1] ?? '';
    const option = { tags: 'tag', techStack: 'stack' }[field] ?? field;
    return { location: option ? `--${option}` : location, message };
  });
  return failure.with({ nextAction: 'Correct that, then run it again.', details: { errors: named } });
}

async function remember(folder: string, deckFile: DeckFile, terminal: Terminal): Promise<void> {
  await writeDeckFile(folder, deckFile).catch((error: unknown) => {
    terminal.warn(`This folder cannot remember its listing (${systemCode(error)}): unlist it by its slug.`);
  });
}

function tell(outcome: Outcome, { presentationId, title }: DeckFile, terminal: Terminal): void {
  const { status, slug, version, marketplaceUrl, takedown } = outcome;
  const { green, bold, cyan } = terminal.colors;
  const what = title === undefined ? 'the deck' : bold(plain(title));
  if (status === 'published') terminal.say(`${green('✓')} Published version ${version} of ${what} as ${bold(slug)}`);
  else {
    terminal.say(
      `${green('✓')} Updated the listing ${bold(slug)}, which the deck has already: it shows version ${version}`,
    );
  }
  terminal.say(`\n  ${cyan(marketplaceUrl)}\n`);
  if (takedown) terminal.warn(`An operator took this listing down, and nobody sees it: ${plain(takedown.reason)}`);
  terminal.answer({ presentationId, ...outcome });
}
