import { realDecks, type Difference, type Form, type RealDeck } from './decks';
import type { Setting, StaticServer } from './setting';
import { SideBySide } from './side-by-side';
import { eventually, onStages, Stage } from './stage';

/** A deck in a form, on a large screen or on a phone. */
interface Case {
  name: string;
  form: Form;
  deck: RealDeck;
  isPhone: boolean;
}

/** Tests every deck in these forms, and some on a phone too. */
export function testEveryDeck(setting: Setting, forms: Form[]): void {
  const casesOf = (decks: RealDeck[], isPhone: boolean): Case[] =>
    decks.flatMap((deck) => forms.map((form) => ({ name: deck.name, form, deck, isPhone })));

  test.each(casesOf(realDecks, false))('$name, $form: runs as under a static server', (each) =>
    isAsUnderStaticServer(setting, each),
  );
  const onPhones = realDecks.filter(({ isOnPhones }) => isOnPhones);
  test.each(casesOf(onPhones, true))('$name, $form: runs on a phone as under a static server', (each) =>
    isAsUnderStaticServer(setting, each),
  );
}

async function isAsUnderStaticServer(setting: Setting, each: Case): Promise<void> {
  const { deck, form, isPhone } = each;
  const server = await setting.serveStatically(deck);
  const difference = deck.differences?.[form];
  const compare = (shown: Stage) => {
    if (difference?.isBlank) return staysBlank(setting, shown, difference);
    if (difference?.looksDifferent) return looksDifferent(setting, shown, server, each);
    return runsTheSame(setting, shown, server, each);
  };
  await setting.onStage(deck, form, compare, { isPhone }).finally(() => server.close());
}

async function reports(shown: Stage, { troubles = [] }: Difference): Promise<void> {
  const wanted = JSON.stringify([...troubles].sort());
  await eventually(
    async () => JSON.stringify(shown.troubles()) === wanted,
    () => `${JSON.stringify(shown.troubles(), null, 2)} is not ${wanted}`,
  );
}

async function staysBlank({ pictures }: Setting, shown: Stage, difference: Difference): Promise<void> {
  await shown.holds(`document.readyState === 'complete'`);
  await reports(shown, difference);
  expect(await pictures.coloursOf(await shown.picture())).toBe(1);
}

function looksDifferent({ browser, pictures }: Setting, shown: Stage, server: StaticServer, { deck, form }: Case) {
  return onStages(browser, [server.url], { isReady: deck.isReady, isFramed: false }, async ([wanted]) => {
    await Promise.all([shown.ready(), wanted!.ready()]);
    await reports(shown, deck.differences![form]!);
    expect(await pictures.areSame(await shown.picture(), await wanted!.picture())).toBe(false);
  });
}

async function runsTheSame(setting: Setting, shown: Stage, server: StaticServer, { deck, form, isPhone }: Case) {
  const { differences = {}, isReady, troubles = [] } = deck;
  const difference: Partial<Difference> = differences[form] ?? {};
  const { width, height } = await shown.place();
  const options = { isReady, isFramed: false, isPhone, size: { width, height } };
  const wanted = await Stage.open(setting.browser, server.url, options);
  const pair = new SideBySide(`${deck.name}-${form}${isPhone ? '-phone' : ''}`, shown, wanted, setting.pictures);
  try {
    await pair.ready();
    for (const key of deck.first ?? []) await pair.press(key);
    const first = await pair.same('first');
    await pair.press('ArrowRight');
    await pair.same('second', first);
    expect(await shown.facts()).toEqual({ ...(await wanted.facts()), ...difference.facts });
    // A reload of a listing's page starts its frame again. On a phone reveal.js scrolls, and may not write its address.
    if (form !== 'listing' && !isPhone) {
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
