import type { Browser, Frame, Page, Response } from 'playwright-core';
import type { World } from '../support/world';
import { until, Viewer } from './browser';

/** Somebody with a browser profile, who reads mails in the local inbox. */
export class Person {
  private constructor(
    private readonly world: World,
    private readonly viewer: Viewer,
    readonly email: string,
  ) {}

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

  leave(): Promise<void> {
    return this.viewer.leave();
  }

  get page(): Page {
    return this.viewer.page;
  }

  /** What the console, the network and the pages have reported since the last call. */
  takeTroubles(): string[] {
    return this.viewer.troubles.splice(0);
  }

  button = (name: string | RegExp) => this.page.getByRole('button', { name });
  link = (name: string | RegExp) => this.page.getByRole('link', { name });
  heading = (name: string | RegExp) => this.page.getByRole('heading', { name });
  toast = (text: string | RegExp) => this.page.locator('.toast').filter({ hasText: text });
  dialog = () => this.page.getByRole('dialog');

  /** Opens an address once the present page waits for nothing. */
  async open(url: string): Promise<Response | null> {
    await this.viewer.quiet();
    return this.page.goto(url);
  }

  /** Waits until the page of the dashboard has loaded its code and its rows. */
  async settle(): Promise<void> {
    await this.page.locator('main[aria-busy="false"] h1').first().waitFor();
    await until(this.page, '!document.querySelector("[aria-busy=true]")');
    await this.viewer.quiet();
  }

  /** Makes an account on the page of the sign-up, with the code from the inbox. */
  async signUp(firstName: string): Promise<void> {
    // The page of the sign-in, which led here, has the same form.
    await this.heading('Create an account').waitFor();
    await this.page.getByLabel('Email').fill(this.email);
    await this.button('Send code').click();
    await this.page.getByLabel('First name').fill(firstName);
    await this.page.getByLabel('Code from the mail').fill(await this.world.mailedCode(this.email));
    await this.button('Create account').click();
  }

  async chooseFrom(menu: string | RegExp, action: string | RegExp): Promise<void> {
    await this.button(menu).click();
    await this.page.getByRole('menuitem', { name: action }).click();
  }

  copied(): Promise<string> {
    return this.page.evaluate<string>('navigator.clipboard.readText()');
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
