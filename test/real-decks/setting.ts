import { cp, mkdtemp, rm } from 'node:fs/promises';
import { createServer, type RequestListener } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Browser } from 'playwright-core';
import { launch } from '../browser/browser';
import { buildBundles } from '../support/bundles';
import { pushFolder, type Pushed } from '../support/built-client';
import { World, type Account } from '../support/world';
import { realDecks, type Form, type RealDeck } from './decks';
import { Pictures } from './pictures';
import { onStages, type Stage } from './stage';

type Sirv = (folder: string, options: { single: boolean; dev: boolean }) => RequestListener;

export interface StaticServer {
  /** With a trailing slash. */
  url: string;
  close(): void;
}

interface LiveAddresses {
  presenterUrl: string;
  audienceUrl: string;
}

const built = resolve(__dirname, '../../.build/real-decks');

/** What the tests of a file share, from its first test on. A process can start one service only. */
export class Setting {
  browser!: Browser;
  pictures!: Pictures;
  private world!: World;
  private owner!: Account;
  private folder!: string;
  private readonly pushed = new Map<string, Pushed>();
  private readonly listings = new Map<string, string>();

  static startedFirst({ deckOrigin }: { deckOrigin: boolean }): Setting {
    const setting = new Setting();
    beforeAll(async () => {
      buildBundles();
      setting.browser = await launch(['--enable-unsafe-swiftshader']);
      setting.pictures = await Pictures.start(setting.browser);
      setting.folder = await mkdtemp(join(tmpdir(), 'real-decks-'));
      // The client notes the deck in its folder.
      await cp(built, setting.folder, { recursive: true });
      setting.world = await World.start({ deckOrigin });
      setting.owner = await setting.world.aPublisher('pro');
    });
    afterAll(async () => {
      await setting.browser?.close();
      await setting.world?.stop();
      await rm(setting.folder, { recursive: true, force: true });
    });
    return setting;
  }

  /** Opens a deck in a window for `work`. */
  async onStage(
    deck: RealDeck,
    form: Form,
    work: (stage: Stage) => Promise<void>,
    { isPhone = false }: { isPhone?: boolean } = {},
  ): Promise<void> {
    const url = await this.addressOf(deck.name, form);
    const options = { isReady: deck.isReady, isFramed: form !== 'origin', isPhone };
    await onStages(this.browser, [url], options, ([stage]) => work(stage!));
  }

  /** The address at which a viewer opens a deck. The client pushes the deck when it is opened first. */
  async addressOf(name: string, form: Form): Promise<string> {
    const deck =
      this.pushed.get(name) ??
      (await pushFolder(this.world, this.owner, join(this.folder, name), join(this.folder, '.config')));
    this.pushed.set(name, deck);
    if (form !== 'listing') return deck.shareUrl;
    const slug = this.listings.get(name) ?? (await this.world.aListing(this.owner, {}, deck)).slug;
    this.listings.set(name, slug);
    return `${this.world.cloud.marketplaceUrl}/marketplace/${slug}`;
  }

  /** Starts a new live session of a deck: one that an earlier test left would go on where it is. */
  async startLive(name: string): Promise<LiveAddresses> {
    await this.addressOf(name, 'origin');
    const { presentationId } = this.pushed.get(name)!;
    const as = { key: this.owner.key };
    await this.world.call('endLiveSession', { presentationId }, as);
    return (await this.world.call<LiveAddresses>('startLiveSession', { presentationId }, as)).data;
  }

  /** Serves a deck as a plain static server does. For a single-page app, paths without a file get index.html. */
  async serveStatically({ name, isSingle }: RealDeck): Promise<StaticServer> {
    // Required here: `npm test` and the checks of types run without the packages of this folder.
    const sirv = createRequire(join(__dirname, 'package.json'))('sirv') as Sirv;
    const server = createServer(sirv(join(built, name), { single: isSingle ?? false, dev: true }));
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    const { port } = server.address() as AddressInfo;
    return {
      url: `http://127.0.0.1:${port}/`,
      close() {
        server.close();
        server.closeAllConnections();
      },
    };
  }
}

export function deckNamed(name: string): RealDeck {
  const deck = realDecks.find((each) => each.name === name);
  if (!deck) throw new Error(`No deck is named ${name}.`);
  return deck;
}
