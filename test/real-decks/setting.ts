import type { Browser } from 'playwright-core';
import { launch } from '../browser/browser';
import { buildClient } from '../browser/client';
import type { Form, RealDeck } from './decks';
import { realDecks } from './decks';
import { Pictures } from './pictures';
import { Service } from './service';
import { Stage } from './stage';
import { serveStatically, type StaticServer } from './static-server';

/** What the tests of a file share, from its first test on. A process can start one service only. */
export class Setting {
  browser!: Browser;
  pictures!: Pictures;
  service!: Service;

  static startedFirst({ deckOrigin }: { deckOrigin: boolean }): Setting {
    const setting = new Setting();
    beforeAll(async () => {
      [setting.browser] = await Promise.all([launch(['--enable-unsafe-swiftshader']), buildClient()]);
      setting.pictures = await Pictures.start(setting.browser);
      setting.service = await Service.start(deckOrigin);
    });
    afterAll(async () => {
      await setting.browser?.close();
      await setting.service?.stop();
    });
    return setting;
  }

  async open(deck: RealDeck, form: Form, isPhone = false): Promise<Stage> {
    const url = await this.service.open(deck.name, form);
    return Stage.open(this.browser, url, { isReady: deck.isReady, isFramed: form !== 'origin', isPhone });
  }

  serveStatically(deck: RealDeck): Promise<StaticServer> {
    return serveStatically(this.service.folderOf(deck.name), deck.isSingle ?? false);
  }
}

export function deckNamed(name: string): RealDeck {
  const deck = realDecks.find((each) => each.name === name);
  if (!deck) throw new Error(`No deck is named ${name}.`);
  return deck;
}
