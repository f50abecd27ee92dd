import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { projectRoot } from '../../local/project';
import { dist } from '../site/pages';
import { describeInBrowser } from './browser';
import type { ProofPage } from './proof-pages';
import type { ProofStage } from './proof-stage';
import { hostileTexts } from './proof-world';

/** Puts every word of the dashboard into brackets and makes it longer, as another language would be. */
const otherWords = `
const longer = (text) => '⟦' + text.replace(/[aeiou]/g, '$&$&') + '⟧';
const translated = (value) => {
  if (typeof value === 'string') return longer(value);
  if (typeof value === 'function') return (...given) => translated(value(...given));
  if (Array.isArray(value)) return value.map(translated);
  return typeof value === 'object' && value
    ? Object.fromEntries(Object.entries(value).map(([key, each]) => [key, translated(each)]))
    : value;
};
export const words = translated(plain);
`;

/** Builds the dashboard with these words, in the folder of the site, where the packages of the build are. */
const program = (folder: string) => `
import { build } from 'vite';
const words = {
  name: 'other words',
  enforce: 'pre',
  transform: (code, id) =>
    id.endsWith('/words/en.ts')
      ? code.replace('export const words =', 'const plain =') + ${JSON.stringify(otherWords)}
      : undefined,
};
process.env.NODE_ENV = 'production';
const outDir = ${JSON.stringify(folder)};
await build({ configFile: 'vite.config.mjs', logLevel: 'warn', plugins: [words], build: { outDir } });
`;

const scriptOf = (file: string) => /<script[^>]* src="([^"]+)"/.exec(readFileSync(file, 'utf8'))![1]!;

/**
 * Serves the other scripts in the place of the built ones. The document stays the built one: to Chromium, a document of
 * a test does not come from this machine, and may not call it.
 */
async function serveOtherWords({ page }: ProofStage, folder: string): Promise<void> {
  const built = scriptOf(join(dist, 'dashboard.html'));
  const other = scriptOf(join(folder, 'dashboard.html'));
  await page.route('**/assets/*.js', (route) => {
    const { pathname } = new URL(route.request().url());
    const body = pathname === built ? `import '${other}';` : bodyOf(folder, pathname);
    return body === undefined ? route.continue() : route.fulfill({ body, contentType: 'text/javascript' });
  });
}

function bodyOf(folder: string, pathname: string): string | undefined {
  const file = join(folder, pathname);
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
}

/** What the world calls its things, beside the hostile texts. */
const data = [
  ...hostileTexts,
  "Ada's workspace",
  "Grace's workspace",
  'CLI default key',
  'Deckhost',
  'default',
  'Plain',
  'A deck',
  'Ada',
  'Grace',
  'Worth a look.',
  'New chart',
  'finance',
  'three.js',
  'hostile',
  'index.html',
  'w'.repeat(40),
];

/** Demands that the texts of the pages of the dashboard are its words, in another language too. */
export function proveWords(stage: ProofStage, pages: readonly ProofPage[]): void {
  const ofDashboard = pages.filter(({ isDashboard }) => isDashboard);
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'proof-words-'));
    const options = { cwd: join(projectRoot, 'web'), stdio: 'inherit' } as const;
    execFileSync(process.execPath, ['--input-type=module', '--eval', program(folder)], options);
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

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
      await serveOtherWords(stage, folder);
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
