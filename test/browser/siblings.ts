import type { Account, Deck } from '../support/world';
import { attackingDeck, keepingDeck } from './hostile-origin';
import { filesOf } from './small-decks';
import { Stage } from './stage';

type Link = Pick<Deck, 'shareUrl' | 'tokenId'>;

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
      this.secondLink = await this.addLink('second');
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

  addLink = (tokenName: string) =>
    this.call<Link>('addPresentationToken', { presentationId: this.attacker.presentationId, tokenName }, this.mallory);

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
}
