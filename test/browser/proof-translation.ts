import { clientName } from '../../functions/src/values/client-name';
import { built, filesOf } from '../site/pages';
import { describeInBrowser } from './browser';
import type { ProofPage } from './proof-pages';
import type { ProofStage } from './proof-stage';
import { hostileTexts, texts } from './proof-world';

/** Puts every word of the dashboard into brackets and makes it longer, as another language would be. */
const translate = `
const longer = (text) => '⟦' + text.replace(/[aeiou]/g, '$&$&') + '⟧';
const translated = (value) => {
  if (typeof value === 'string') return longer(value);
  if (typeof value === 'function') return (...given) => translated(value(...given));
  if (Array.isArray(value)) return value.map(translated);
  if (typeof value === 'object' && value)
    for (const [key, each] of Object.entries(value)) value[key] = translated(each);
  return value;
};
`;

/** How the words of all pages begin, and those that some pages load for themselves. */
const BEGINNINGS = ['account:', 'names:{', 'title:`Webhooks`', 'title:`Activity`', 'title:`Present live`'];

/** The built scripts with words, and the names that they give them. */
function scriptsWithWords(): { path: string; code: string; words: string[] }[] {
  const scripts = filesOf('.js').map((path) => ({ path, code: built(path) }));
  const found = BEGINNINGS.map((beginning) => {
    const named = scripts.flatMap(({ path, code }) =>
      code
        .split(`={${beginning}`)
        .slice(0, -1)
        .map((before) => ({ path, name: /[\w$]+$/.exec(before)![0] })),
    );
    expect([beginning, named.length]).toEqual([beginning, 1]);
    return named[0]!;
  });
  return scripts.flatMap((script) => {
    const words = found.flatMap(({ path, name }) => (path === script.path ? [name] : []));
    return words.length > 0 ? [{ ...script, words }] : [];
  });
}

/** Serves other words in the place of the built ones, which no script has read before the end of its own. */
async function serveOtherWords({ page }: ProofStage): Promise<void> {
  for (const { path, code, words } of scriptsWithWords()) {
    const body = `${code}\n{${translate}translated([${words.join()}]);}`;
    await page.route(`**/${path}`, (route) => route.fulfill({ body, contentType: 'text/javascript' }));
  }
}

/** What the world calls its things, beside the hostile texts. */
const data = [
  ...hostileTexts,
  // As the client reads it from a page: it leaves out changes of direction.
  texts.title.replaceAll(/[\u202a-\u202e]/g, ''),
  // The device of a session that no browser began.
  clientName(),
  ...["Ada's workspace", "Grace's workspace", 'Ada', 'Grace', 'CLI default key', 'Deckhost', 'default'],
  ...['Plain', 'A deck', 'Worth a look.', 'New chart', 'finance', 'three.js', 'hostile', 'index.html'],
  // An address is the same in each language.
  'https://hooks.example.com/deckhost',
  'w'.repeat(40),
];

/** Demands that the texts of the pages of the dashboard are its words, in another language too. */
export function proveWords(stage: ProofStage, pages: readonly ProofPage[]): void {
  const ofDashboard = pages.filter(({ isDashboard }) => isDashboard);

  describeInBrowser('every text of the dashboard comes from its words', () => {
    /** What is not of the words, what reaches over an edge, and what turns the words around it. */
    const findings = async () => ({
      foreign: await stage.ask(`untranslated(${JSON.stringify(data)})`),
      over: await stage.ask('overflowing()'),
      mixed: await stage.ask(`unisolated(${JSON.stringify(hostileTexts)})`),
    });
    const nothing = { foreign: [], over: [], mixed: [] };

    test.each(ofDashboard.map((page) => [page.name, page] as const))('%s', async (_, page) => {
      // Dates and numbers are in the language of the reader.
      await stage.arrive({ locale: 'ja', viewport: { width: 390, height: 844 } });
      await serveOtherWords(stage);
      await stage.look(page, async (opened) => {
        await stage.page.evaluate('document.querySelectorAll("details").forEach((each) => { each.open = true })');
        expect({ opened, ...(await findings()) }).toEqual({ opened, ...nothing });
        const menus = opened === undefined ? await stage.page.locator('[aria-haspopup="menu"]').count() : 0;
        for (let menu = 0; menu < menus; menu++) {
          await stage.page.evaluate(`document.querySelectorAll('[aria-haspopup="menu"]')[${menu}].click()`);
          await stage.page.locator('[role="menuitem"]').first().waitFor({ state: 'attached' });
          expect({ menu, ...(await findings()) }).toEqual({ menu, ...nothing });
          await stage.page.keyboard.press('Escape');
        }
      });
    });
  });
}
