import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pushFolder, type Pushed } from '../browser/client';
import { World, type Account } from '../support/world';
import type { Form } from './decks';

const built = resolve(__dirname, '../../.build/real-decks');

/** A service to which decks are pushed with the client when they are opened first. */
export class Service {
  private readonly pushed = new Map<string, Pushed>();
  private readonly listings = new Map<string, string>();

  private constructor(
    readonly world: World,
    private readonly owner: Account,
    private readonly folder: string,
  ) {}

  static async start(deckOrigin: boolean): Promise<Service> {
    const folder = await mkdtemp(join(tmpdir(), 'real-decks-'));
    // The client notes the deck in its folder.
    await cp(built, folder, { recursive: true });
    const world = await World.start({ deckOrigin });
    return new Service(world, await world.aPublisher('pro'), folder);
  }

  async stop(): Promise<void> {
    await this.world.stop();
    await rm(this.folder, { recursive: true, force: true });
  }

  /** The files of a deck. */
  folderOf(name: string): string {
    return join(built, name);
  }

  /** The address at which a viewer opens a deck. */
  async open(name: string, form: Form): Promise<string> {
    const deck = this.pushed.get(name) ?? (await this.push(name));
    if (form !== 'listing') return deck.shareUrl;
    const slug = this.listings.get(name) ?? (await this.world.aListing(this.owner, {}, deck)).slug;
    this.listings.set(name, slug);
    return `${this.world.cloud.marketplaceUrl}/marketplace/${slug}`;
  }

  private async push(name: string): Promise<Pushed> {
    const deck = await pushFolder(this.world, this.owner, join(this.folder, name), join(this.folder, '.config'));
    this.pushed.set(name, deck);
    return deck;
  }
}
