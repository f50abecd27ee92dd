import type { Browser } from 'playwright-core';
import { launch } from '../browser/browser';
import { buildClient } from '../browser/client';
import { realDecks, type Difference, type Form, type RealDeck } from './decks';
import { Pictures } from './pictures';
import { Service } from './service';
import { SideBySide } from './side-by-side';
import { eventually, Stage } from './stage';
import { serveStatically, type StaticServer } from './static-server';

let browser: Browser;
let pictures: Pictures;

/** Tests every deck in these forms. A process can start one service only, so each service has a test file. */
export function testEveryDeck({ deckOrigin, forms }: { deckOrigin: boolean; forms: Form[] }): void {
  let service: Service;
  beforeAll(async () => {
    [browser] = await Promise.all([launch(['--enable-unsafe-swiftshader']), buildClient()]);
    [pictures, service] = await Promise.all([Pictures.start(browser), Service.start(deckOrigin)]);
  });
  afterAll(async () => {
    await browser?.close();
    await service?.stop();
  });

  const cases = realDecks.flatMap((deck) => forms.map((form) => ({ name: deck.name, form, deck })));
  test.each(cases)('$name, $form: runs as under a static server', async ({ deck, form }) => {
    const server = await serveStatically(service.folderOf(deck.name), deck.isSingle ?? false);
    const difference = deck.differences?.[form];
    const url = await service.open(deck.name, form);
    const shown = await Stage.open(browser, url, { isReady: deck.isReady, isFramed: form !== 'origin' });
    try {
      if (difference?.isBlank) await staysBlank(shown, difference);
      else if (difference?.looksDifferent) await looksDifferent(shown, server, deck, difference);
      else await runsTheSame(shown, server, deck, form);
    } finally {
      await shown.leave();
      server.close();
    }
  });
}

async function reports(shown: Stage, { troubles = [] }: Difference): Promise<void> {
  const wanted = JSON.stringify([...troubles].sort());
  await eventually(
    async () => JSON.stringify(shown.troubles()) === wanted,
    () => `${JSON.stringify(shown.troubles(), null, 2)} is not ${wanted}`,
  );
}

async function staysBlank(shown: Stage, difference: Difference): Promise<void> {
  await shown.holds(`document.readyState === 'complete'`);
  await reports(shown, difference);
  expect(await pictures.coloursOf(await shown.picture())).toBe(1);
}

async function looksDifferent(shown: Stage, server: StaticServer, deck: RealDeck, difference: Difference) {
  const wanted = await Stage.open(browser, server.url, { isReady: deck.isReady, isFramed: false });
  try {
    await Promise.all([shown.ready(), wanted.ready()]);
    await reports(shown, difference);
    expect(await pictures.areSame(await shown.picture(), await wanted.picture())).toBe(false);
  } finally {
    await wanted.leave();
  }
}

async function runsTheSame(shown: Stage, server: StaticServer, deck: RealDeck, form: Form): Promise<void> {
  const { differences = {}, isReady, troubles = [] } = deck;
  const difference: Partial<Difference> = differences[form] ?? {};
  const { width, height } = await shown.place();
  const wanted = await Stage.open(browser, server.url, { isReady, isFramed: false, size: { width, height } });
  const pair = new SideBySide(`${deck.name}-${form}`, shown, wanted, pictures);
  try {
    await pair.ready();
    for (const key of deck.first ?? []) await pair.press(key);
    const first = await pair.same('first');
    await pair.press('ArrowRight');
    await pair.same('second', first);
    expect(await shown.facts()).toEqual({ ...(await wanted.facts()), ...difference.facts });
    // A reload of a listing's page starts its frame again.
    if (form !== 'listing') {
      await pair.arrivesAt(deck.second ?? '');
      await pair.reload();
      await pair.same('reloaded');
      expect(await shown.facts()).toEqual({ ...(await wanted.facts()), ...difference.factsAfterReload });
    }
    expect(wanted.troubles()).toEqual(troubles);
    expect(shown.troubles()).toEqual([...troubles, ...(difference.troubles ?? [])].sort());
  } finally {
    await wanted.leave();
  }
}
