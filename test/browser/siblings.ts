import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { navigation, requestLocally } from '../support/deck-origin';
import type { Account, Deck } from '../support/world';
import { attackingDeck, keepingDeck } from './hostile-origin';
import { filesOf } from './small-decks';
import { Stage } from './stage';

type Link = Pick<Deck, 'shareUrl' | 'tokenId'>;

/** The attributes of a cookie that a deck sets for all of its siblings. */
export const forAll = '; domain=decks.localhost; path=/; secure';

/** A hostile deck and another deck of the owner, with the origins of their links in one browser. */
export class Siblings extends Stage {
  /** The owner of the attacker's deck. */
  mallory!: Account;
  attacker!: Deck;
  victim!: Deck;
  secondLink!: Link;
  /** Where the links open: another link of the attacker's deck, the other deck, and the attacker's deck. */
  origins!: { secondLink: string; victim: string; attacker: string };

  constructor() {
    super();
    beforeAll(async () => {
      this.mallory = await this.world.anOwner();
      this.attacker = await this.world.aDeck(this.mallory, filesOf(attackingDeck()));
      this.victim = await this.aDeck(filesOf(keepingDeck('Victim')));
      const input = { presentationId: this.attacker.presentationId, tokenName: 'second' };
      this.secondLink = await this.call<Link>('addPresentationToken', input, this.mallory);
    });
  }

  /** Opens every link, so that the browser has the cookie of each, and stays at the attacker's deck. */
  async openAll(): Promise<void> {
    this.origins = {
      secondLink: await this.open(this.secondLink),
      victim: await this.open(this.victim),
      attacker: await this.open(this.attacker),
    };
  }

  /** Opens a link and returns the origin of its deck. */
  async open({ shareUrl }: Pick<Link, 'shareUrl'>): Promise<string> {
    await this.page.goto(shareUrl);
    return new URL(this.page.url()).origin;
  }

  /** What the attacker's page gets from an origin. */
  attack(name: string, origin: string): Promise<unknown> {
    return this.page.evaluate(`attempt(${JSON.stringify(name)}, ${JSON.stringify(origin)})`);
  }

  /** The grants that the browser has for these origins. */
  grantsOf = (...origins: string[]) =>
    Promise.all(
      origins.map(async (origin) => {
        const cookies = await this.viewer.context.cookies(origin);
        return cookies.find(({ name }) => name === '__Host-deck')!.value;
      }),
    );

  /** The attacker's deck sets cookies for all of its siblings. Chromium writes later: a read waits for the writes. */
  toss = (cookies: string[]) =>
    this.page.evaluate(
      `{ for (const cookie of ${JSON.stringify(cookies)}) document.cookie = cookie; document.cookie; }`,
    );

  /** The status and the title of a deck at its origin. */
  see = async (origin: string) => [(await this.page.goto(`${origin}/`))!.status(), await this.page.title()];

  private views = async () => (await this.info(this.victim)).totalViews;

  /** How many views an attempt of the attacker adds to those of the victim. */
  async counted(visit: string): Promise<number> {
    const before = await this.views();
    const done = answered(this.origins.victim);
    await this.page.evaluate(`{ visits.${visit}(${JSON.stringify(this.origins.victim)}); }`);
    await done;
    const cookie = `__Host-deck=${(await this.grantsOf(this.origins.victim))[0]}`;
    // This request counts one view.
    await requestLocally(`${this.origins.victim}/`, { headers: { ...navigation, cookie } });
    return (await this.views()) - before - 1;
  }
}

/** Resolves when a server of this process has ended a request for the entry of that origin. */
const answered = (origin: string) =>
  new Promise<void>((resolve) => {
    const channel = 'http.server.request.start';
    const onStart = (message: unknown) => {
      const { request, response } = message as { request: IncomingMessage; response: ServerResponse };
      if (`http://${request.headers.host}` !== origin || request.url!.split('?')[0] !== '/') return;
      unsubscribe(channel, onStart);
      // The browser may close the connection before it has read the answer.
      response.once('close', resolve);
    };
    subscribe(channel, onStart);
  });
