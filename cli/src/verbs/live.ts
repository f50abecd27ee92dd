import { setTimeout as pause } from 'node:timers/promises';
import { isFailure } from '../../../client/src/failure';
import type { Contract } from '../../../client/src/service/contract';
import type { DeckService } from '../../../client/src/service/service';
import { commandLine } from '../command-line';
import { aboutDeck } from './deck-failure';
import { findLink } from './links';

/** A live session as whoever presents gets it. Its `presenterUrl` moves the decks of the audience: it is a secret. */
export type StartedLive = Contract['startLiveSession']['answer'];
/** Where a live session is, and how many follow it. */
export type LiveState = NonNullable<Contract['getLiveSession']['answer']['live']>;
export type LiveCommand = NonNullable<Contract['moveLiveSession']['input']['command']>;

interface Deck {
  presentationId: string;
  /** The words that name the deck in hints. */
  deckWords: readonly string[];
}

/**
 * Starts a live session, or finds the one that runs. `link` is the name or the id of the link that the audience opens.
 */
export async function startLive(
  service: DeckService,
  { presentationId, deckWords, link }: Deck & { link?: string | undefined },
): Promise<StartedLive> {
  const tokenId = link && (await linkId(service, { presentationId, deckWords, link }));
  return aboutDeck(presentationId, service.post('startLiveSession', { presentationId, tokenId }), (error) => {
    if (isFailure(error, 'conflict'))
      return /another link/.test(error.message)
        ? error.with({ nextAction: `End it first: ${commandLine('live', '--end', ...deckWords)}` })
        : error.with({ message: 'This link opens nothing.', nextAction: 'Name another link with --link.' });
    if (!isFailure(error, 'permission-denied') || !/without naming a link/.test(error.message)) return undefined;
    return error.with({
      message: 'Only the owner may present this deck without naming a link.',
      nextAction: 'Ask the owner for the id of a link, and name it with --link.',
    });
  });
}

/** Only the owner is told the links of a deck. A collaborator names one by its id. */
async function linkId(service: DeckService, named: Deck & { link: string }): Promise<string> {
  try {
    return (await findLink(service, named)).id;
  } catch (error) {
    if (isFailure(error, 'permission-denied')) return named.link;
    throw error;
  }
}

/** The live session of a deck; undefined when there is none. */
export async function readLive(
  service: DeckService,
  { presentationId }: Pick<Deck, 'presentationId'>,
  signal?: AbortSignal,
): Promise<LiveState | undefined> {
  const options = { canRepeat: false, signal };
  const { live } = await aboutDeck(presentationId, service.get('getLiveSession', { presentationId }, options));
  return live ?? undefined;
}

/** Ends the live session of a deck. False when there was none. */
export async function endLive(
  service: DeckService,
  { presentationId }: Pick<Deck, 'presentationId'>,
): Promise<boolean> {
  return (await aboutDeck(presentationId, service.post('endLiveSession', { presentationId }))).ended;
}

/** What became of a command: no page of a presenter is open, or the session has ended. */
export type Outcome = 'sent' | 'alone' | 'ended';

/** Keys that a person holds down are not all sent. */
const MOST_WAITING = 5;

/** A remote control of the page of the presenter. */
export class Remote {
  private readonly ticket: string;
  private waiting = 0;
  private last: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly service: DeckService,
    { presenterUrl }: Pick<StartedLive, 'presenterUrl'>,
  ) {
    this.ticket = new URL(presenterUrl).hash.replace('#present=', '');
  }

  /** Sends a command after those before it. The service takes one a second. */
  async send(command: LiveCommand): Promise<Outcome> {
    if (this.waiting >= MOST_WAITING) return 'sent';
    this.waiting += 1;
    const sent = this.last.then(() => this.sendNow(command));
    this.last = sent.catch(() => undefined);
    return sent.finally(() => (this.waiting -= 1));
  }

  private async sendNow(command: LiveCommand): Promise<Outcome> {
    try {
      for (;;) {
        const input = { ticket: this.ticket, sequence: Date.now(), command };
        const { taken, retryAfterMs } = await this.service.post('moveLiveSession', input);
        if (taken || retryAfterMs === null) return 'sent';
        await pause(retryAfterMs);
      }
    } catch (error) {
      if (isFailure(error, 'conflict')) return 'alone';
      if (isFailure(error, 'expired', 'permission-denied')) return 'ended';
      throw error;
    }
  }
}
