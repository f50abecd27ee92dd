import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { succeed, World, type Account } from '../support/world';
import { executablePath, launch, Viewer } from './browser';
import { buildClient, push, type Pushed } from './client';
import { attackingDeck, keepingDeck } from './hostile-origin';

type Link = Pick<Pushed, 'shareUrl'> & { tokenId: string };

/** A hostile deck and another deck, with the origins of their links in one browser. */
export class Siblings {
  viewer!: Viewer;
  /** Where the links open: another link of the attacker's deck, the other deck, and the attacker's deck. */
  origins!: { secondLink: string; victim: string; attacker: string };

  private constructor(
    readonly world: World,
    readonly browser: Browser,
    private readonly folder: string,
    /** The owner of the attacker's deck. */
    readonly mallory: Account,
    readonly attacker: Pushed,
    readonly owner: Account,
    readonly victim: Pushed,
    readonly secondLink: Link,
  ) {}

  /** `program` is the Chromium that opens the decks. */
  static async start(program = executablePath): Promise<Siblings> {
    const folder = await mkdtemp(join(tmpdir(), 'decks-in-browser-'));
    const [world, browser] = await Promise.all([World.start(), launch([], program), buildClient()]);
    const [mallory, owner] = [await world.anOwner(), await world.anOwner()];
    const attacker = await push(world, mallory, join(folder, 'attacker'), attackingDeck());
    const victim = await push(world, owner, join(folder, 'victim'), keepingDeck('Victim'));
    const secondLink = await addLink(world, mallory, attacker, 'second');
    return new Siblings(world, browser, folder, mallory, attacker, owner, victim, secondLink);
  }

  async stop(): Promise<void> {
    await this.browser.close();
    await this.world.stop();
    await rm(this.folder, { recursive: true, force: true });
  }

  /** A new viewer opens every link, so that the browser has the cookie of each, and looks at the attacker's deck. */
  async arrive(): Promise<void> {
    this.viewer = await Viewer.arrive(this.browser);
    this.origins = {
      secondLink: await this.open(this.secondLink),
      victim: await this.open(this.victim),
      attacker: await this.open(this.attacker),
    };
  }

  get page(): Page {
    return this.viewer.page;
  }

  /** Opens a link and returns the origin of its deck. */
  async open({ shareUrl }: Pick<Link, 'shareUrl'>): Promise<string> {
    await this.page.goto(shareUrl);
    return new URL(this.page.url()).origin;
  }

  addLink(tokenName: string): Promise<Link> {
    return addLink(this.world, this.mallory, this.attacker, tokenName);
  }

  /** What the attacker's page gets from an origin. */
  attack(name: string, origin: string): Promise<unknown> {
    return this.page.evaluate(`attempt(${JSON.stringify(name)}, ${JSON.stringify(origin)})`);
  }

  /** The grant that the browser has for an origin. */
  async grantOf(origin: string): Promise<string> {
    const cookies = await this.viewer.context.cookies(origin);
    return cookies.find(({ name }) => name === '__Host-deck')!.value;
  }
}

const addLink = (world: World, { key }: Account, { presentationId }: Pushed, tokenName: string) =>
  succeed(world.call<Link>('addPresentationToken', { presentationId, tokenName }, { key }));
