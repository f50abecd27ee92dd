import type { Browser, Frame, Page, Response } from 'playwright-core';
import type { World } from '../support/world';
import { Viewer } from './browser';
import { Controls } from './controls';

/** Somebody with a browser profile, who reads mails in the local inbox. */
export class Person extends Controls {
  private constructor(
    private readonly world: World,
    private readonly viewer: Viewer,
    readonly email: string,
  ) {
    super();
  }

  static async arrive(world: World, browser: Browser, name: string): Promise<Person> {
    const viewer = await Viewer.arrive(browser, { permissions: ['clipboard-read', 'clipboard-write'] });
    viewer.context.on('console', (message) => {
      if (!['error', 'warning'].includes(message.type())) viewer.troubles.push(`${message.type()}: ${message.text()}`);
    });
    // The demo of reveal.js has pictures from another site. The test does not leave this machine.
    await viewer.context.route(/^https:/, (route) =>
      route.fulfill({ contentType: 'image/svg+xml', body: '<svg xmlns="http://www.w3.org/2000/svg"/>' }),
    );
    return new Person(world, viewer, `${name}@example.com`);
  }

  get page(): Page {
    return this.viewer.page;
  }

  /** What the console, the network and the pages have reported since the last call. */
  takeTroubles(): string[] {
    return this.viewer.troubles.splice(0);
  }

  /** Opens an address once the present page waits for nothing. */
  async open(url: string): Promise<Response | null> {
    await this.viewer.quiet();
    return this.page.goto(url);
  }

  settle = () => this.viewer.settle();

  /** Makes an account on the page of the sign-up, with the code from the inbox. */
  async signUp(firstName: string): Promise<void> {
    // The page of the sign-in, which led here, has the same form.
    await this.heading('Create an account').waitFor();
    await this.fill({ Email: this.email }, 'Send code');
    await this.field('First name').fill(firstName);
    await this.fill({ 'Code from the email': await this.world.mailedCode(this.email) }, 'Create account');
  }

  /** Opens an address that shows a deck of reveal.js. Returns the frame or the window in which it runs. */
  async openDeck(url: string): Promise<Frame> {
    await this.open(url);
    return this.deck();
  }

  /** The frame or the window in which reveal.js runs. */
  async deck(page = this.page): Promise<Frame> {
    for (;;) {
      for (const frame of page.frames()) {
        if (await frame.evaluate('Boolean(window.Reveal?.isReady())').catch(() => false)) return frame;
      }
      await page.waitForTimeout(50);
    }
  }
}
