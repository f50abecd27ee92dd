import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { page, succeed, World, type Account, type Deck, type DeckFile } from '../support/world';
import { launch, Viewer } from './browser';
import { Controls } from './controls';

/** What the owner of a deck is told about it. */
export interface DeckInfo {
  title: string;
  version: number;
  expiresAt: string | null;
  totalViews: number;
  tracking: string;
  listing: { slug: string } | null;
  tokens: {
    tokenId: string;
    name: string;
    revoked: boolean;
    shareUrl: string;
    versionMode: object;
    expiresAt: string;
    shortUrl: string;
  }[];
}

/**
 * What the tests of a file share: a service, an account that may publish, and a browser. Each test has a new viewer.
 */
export class Stage extends Controls {
  world!: World;
  owner!: Account;
  private browser: Browser | undefined;
  private current: Viewer | undefined;

  /** Starts the service and the browser before the tests of the file, and stops them after. */
  constructor(options?: Parameters<typeof World.start>[0]) {
    super();
    beforeAll(async () => {
      [this.world, this.browser] = await Promise.all([World.start(options), launch()]);
      this.owner = await this.world.aPublisher();
    });
    afterAll(async () => {
      await this.browser?.close();
      await this.world?.stop();
    });
    beforeEach(() => this.arrive());
    afterEach(() => this.current?.leave());
  }

  get viewer(): Viewer {
    return this.current!;
  }

  get page(): Page {
    return this.viewer.page;
  }

  /** What went wrong in the browser. */
  get troubles(): string[] {
    return this.viewer.troubles;
  }

  /** Another viewer, whose context has these options, takes the place of the present one. */
  async arrive(options?: BrowserContextOptions, browser = this.browser!): Promise<void> {
    await this.current?.leave();
    this.current = await Viewer.arrive(browser, options);
  }

  /** Gives the browser the cookie of a dashboard session, as `/dashboardSession` of the site sets it. */
  async giveCookie(site: string, value: string): Promise<void> {
    const { hostname: domain } = new URL(site);
    const path = '/dashboardSession';
    await this.viewer.context.addCookies([
      { name: '__session', value, domain, path, httpOnly: true, sameSite: 'Strict' },
    ]);
  }

  /** `data` of a call of the owner, or of another account. */
  call = <T = Record<string, unknown>>(name: string, input: object, { key }: Pick<Account, 'key'> = this.owner) =>
    succeed(this.world.call<T>(name, input, { key }));

  read = <T>(name: string, query: Record<string, string>, { key }: Pick<Account, 'key'> = this.owner) =>
    succeed(this.world.call<T>(name, undefined, { key, query, method: 'GET' }));

  info = ({ presentationId }: Pick<Deck, 'presentationId'>, account = this.owner) =>
    this.read<DeckInfo>('getSharedPresentationInfo', { presentationId }, account);

  /** A deck of the owner, written into the store. */
  aDeck = (files: DeckFile[] = [page()], title?: string): Promise<Deck> => this.world.aDeck(this.owner, files, title);

  /** Runs `act`. The list has the matching addresses that the page requests from now on, also after `act`. */
  async requestsOf(pattern: RegExp, act: () => Promise<unknown>): Promise<string[]> {
    const seen: string[] = [];
    this.page.on('request', (request) => {
      if (pattern.test(request.url())) seen.push(request.url());
    });
    await act();
    return seen;
  }
}
