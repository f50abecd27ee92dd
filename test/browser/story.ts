import { cp, mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Browser, Frame, Page, Response } from 'playwright-core';
import { buildBundles } from '../support/bundles';
import { runDeck } from '../support/built-client';
import { World } from '../support/world';
import { launch, Viewer } from './browser';
import { Controls } from './controls';

/** Expressions in a deck of reveal.js: the shown slide, and the title of the first one. */
export const place = 'Object.values(Reveal.getIndices()).slice(0, 2).join()';
export const firstTitle = `document.querySelector('.slides section h3').textContent`;

/** Somebody with a browser profile, who reads mails in the local inbox. */
class Person extends Controls {
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

/** A service, and the people and the computer of a story. Its steps share them, and each step is quiet. */
export class Story {
  world!: World;
  /** The owner of the deck, and somebody to whom she sends links. */
  ada!: Person;
  reader!: Person;
  /** The first link of the deck, and the one that is pinned to version 1. */
  link!: string;
  pinned!: string;
  /** The addresses of the pages of the deck and of its listing. */
  deckPage!: string;
  listingPage!: string;
  private browser: Browser | undefined;
  private readonly people: Person[] = [];
  private isBroken = false;
  readonly folder = tmpdir();

  constructor() {
    beforeAll(async () => {
      buildBundles();
      [this.world, this.browser] = await Promise.all([World.start(), launch()]);
    });
    afterAll(async () => {
      await this.browser?.close();
      await this.world?.stop();
    });
  }

  /** A step of the story. It cannot succeed when an earlier one has failed, and nothing may be reported in it. */
  step(name: string, act: () => Promise<void>): void {
    test(name, async () => {
      if (this.isBroken) throw new Error('An earlier step has failed.');
      this.isBroken = true;
      await act();
      expect(this.people.flatMap((person) => person.takeTroubles())).toEqual([]);
      this.isBroken = false;
    });
  }

  async person(name: string): Promise<Person> {
    const person = await Person.arrive(this.world, this.browser!, name);
    this.people.push(person);
    return person;
  }

  /** Ada opens a page of her deck. */
  async open(tab = ''): Promise<void> {
    await this.ada.open(`${this.deckPage}${tab && `/${tab}`}`);
    await this.ada.settle();
  }

  /** The site, at the address that `npm start` prints. */
  address(path: string): string {
    return this.world.cloud.hostingUrl + path;
  }

  /** A folder with the demo that reveal.js is published with. */
  async revealDemo(): Promise<string> {
    const source = join(dirname(require.resolve('reveal.js')), '..');
    const folder = join(this.folder, 'reveal-demo');
    await mkdir(folder);
    for (const each of ['demo.html', 'dist']) await cp(join(source, each), join(folder, each), { recursive: true });
    return folder;
  }

  /** Runs the built client in a terminal with these variables, on a computer on which nobody has signed in. */
  deck = (variables: NodeJS.ProcessEnv, ...args: string[]): Promise<string> =>
    runDeck(args, { XDG_CONFIG_HOME: join(this.folder, 'config'), ...variables }, this.folder);
}
