import { cp, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Browser } from 'playwright-core';
import { buildAll } from '../site/pages';
import { World } from '../support/world';
import { launch } from './browser';
import { runDeck } from '../support/built-client';
import { Person } from './person';

/** Expressions in a deck of reveal.js: the shown slide, and the title of the first one. */
export const place = 'Object.values(Reveal.getIndices()).slice(0, 2).join()';
export const firstTitle = `document.querySelector('.slides section h3').textContent`;

/** A service, and the people and the computer of a story. Its steps share them, and each step is quiet. */
export class Story {
  world!: World;
  folder!: string;
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

  constructor() {
    beforeAll(async () => {
      buildAll();
      this.folder = await mkdtemp(join(tmpdir(), 'story-'));
      [this.world, this.browser] = await Promise.all([World.start(), launch()]);
    });
    afterAll(async () => {
      await this.browser?.close();
      await this.world?.stop();
      await rm(this.folder, { recursive: true, force: true });
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
