import type { Browser, BrowserContextOptions } from 'playwright-core';
import { World, type Account } from '../support/world';
import { launch, Viewer } from './browser';

/**
 * What the tests of a file share: a service, an account that may publish, and a browser. Each test has a new viewer.
 */
export class Stage {
  world!: World;
  owner!: Account;
  private browser: Browser | undefined;
  private current: Viewer | undefined;

  /** Starts the service and the browser before the tests of the file, and stops them after. */
  constructor(options?: Parameters<typeof World.start>[0]) {
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

  /** Another viewer, whose browser has these options, takes the place of the present one. */
  async arrive(options?: BrowserContextOptions): Promise<void> {
    await this.current?.leave();
    this.current = await Viewer.arrive(this.browser!, options);
  }
}
