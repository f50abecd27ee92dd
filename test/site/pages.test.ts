import { buildSync } from 'esbuild';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { errorTable } from '../../functions/src/errors';
import { links } from '../../functions/src/house/tokens.json';
import { home } from '../../functions/runtime/bundle.cjs';
import { DEFAULT_HOSTING_URL } from '../../local/ports';
import { projectRoot } from '../../local/project';
import { each } from '../support/each';
import { endpoints } from '../support/endpoints';
import { built, buildSite, dist, documentedEndpoints, examplesOf, filesOf } from './pages';

beforeAll(buildSite);

/** What the functions and the dashboard serve, by firebase.json. */
const OF_FUNCTIONS = /^\/(marketplace|share|mail|dashboard)(\/|$)/;
/** What other builds put into the folder. */
const OF_OTHERS = /^\/deckhost(-client)?\.tgz$/;

/** The file that Hosting serves at a path of the site. */
function fileAt(path: string): string | undefined {
  const candidates = path.endsWith('/') ? [`${path}index.html`] : [path, `${path}/index.html`, `${path}.html`];
  return candidates.find((file) => existsSync(join(dist, file)) && /\.\w+$/.test(file));
}

const idsOf = (html: string) => new Set([...html.matchAll(/\sid="([^"]+)"/g)].map(([, id]) => id));

test('each link of each page leads to a page and an anchor that exist', () => {
  const broken: string[] = [];
  for (const file of filesOf('.html')) {
    for (const [, target = ''] of built(file).matchAll(/\s(?:href|src)="([^"]*)"/g)) {
      const address = target.startsWith(DEFAULT_HOSTING_URL) ? target.slice(DEFAULT_HOSTING_URL.length) || '/' : target;
      if (/^(https?:|data:)/.test(address) || OF_FUNCTIONS.test(address) || OF_OTHERS.test(address)) continue;
      const [path = '', anchor] = address.replace(/\?.*/, '').split('#');
      const found = path === '' ? file : fileAt(path);
      const isFine = found !== undefined && (!anchor || idsOf(built(found)).has(anchor));
      if (!isFine) broken.push(`${file}: ${target}`);
    }
  }
  expect(broken).toEqual([]);
});

test.each(['index.html', 'docs/guides/ci/index.html', '404.html'])(
  '%s has the icons, the header and the footer',
  (file) => {
    const html = built(file);
    expect(html.match(/<link rel="icon"/g)).toHaveLength(2);
    for (const [frame, list] of each(Object.entries(links))) {
      const [nav] = new RegExp(`(?<=<${frame}[^]*<nav[^>]*>)[^]*?(?=</nav>)`).exec(html)!;
      expect([...nav.matchAll(/href="([^"]*)"/g)].map(([, path]) => path)).toEqual(list.map(({ path }) => path));
    }
  },
);

test('each link of each text for agents leads to a text and a heading that exist', () => {
  const broken: string[] = [];
  for (const file of [...filesOf('.md'), 'llms.txt', 'llms-full.txt']) {
    for (const [, target = ''] of built(file).matchAll(/\]\(([^)\s]+)\)/g)) {
      const [path = '', anchor] = target.replace(DEFAULT_HOSTING_URL, '').split('#');
      if (OF_FUNCTIONS.test(path)) continue;
      const page = path === '' ? file.replace(/\.md$/, '') : path.replace(/\.md$/, '');
      const isFile = existsSync(join(dist, path === '' ? file : path));
      if (!isFile || (anchor && !idsOf(built(fileAt(`/${page.replace(/^\//, '')}`)!)).has(anchor)))
        broken.push(`${file}: ${target}`);
    }
  }
  expect(broken).toEqual([]);
});

test('each endpoint has a page with its errors and an example for curl and TypeScript', () => {
  expect(documentedEndpoints().sort()).toEqual(Object.keys(endpoints).sort());
  for (const name of each(documentedEndpoints())) {
    const languages = examplesOf(built(`docs/api/${name}.md`)).map(({ language }) => language);
    expect({ name, languages }).toEqual({ name, languages: expect.arrayContaining(['sh', 'ts']) });
  }
});

test('each error has an anchor, with what to do next', () => {
  const html = built('docs/errors/index.html');
  expect([...idsOf(html)]).toEqual(expect.arrayContaining(Object.keys(errorTable)));
  for (const { nextAction } of each(Object.values(errorTable)))
    expect(built('docs/errors.md')).toContain(`**Next action:** ${nextAction.replaceAll('<', '&lt;')}\n`);
});

test('each page has its Markdown beside it, and stands in llms.txt and the sitemap', () => {
  const pages = filesOf('.html')
    .filter((file) => file.startsWith('docs/') && file !== 'docs/index.html')
    .map((file) => file.replace('/index.html', ''));
  for (const page of each(pages)) {
    expect(existsSync(join(dist, `${page}.md`))).toBe(true);
    expect(built('llms.txt')).toContain(`(${DEFAULT_HOSTING_URL}/${page}.md)`);
    expect(built('llms-full.txt')).toContain(built(`${page}.md`).trim());
    expect(built('sitemap-site.xml')).toContain(`<loc>${DEFAULT_HOSTING_URL}/${page}</loc>`);
  }
});

test('llms.txt has the form of llmstxt.org: a title, a quote, and sections that are lists of links', () => {
  const [title, quote, , ...sections] = built('llms.txt').trim().split(/\n\n+/);
  expect(title).toMatch(/^# \S/);
  expect(quote).toMatch(/^> \S/);
  for (const section of each(sections)) expect(section).toMatch(/^(## \S.*|(- \[[^\]]+\]\(\S+\): \S.*(\n|$))+)$/);
});

test('the pages have no scripts but those of the home page and of the search, no inline style and nothing of other sites', () => {
  // The dashboard and its frame for mails have scripts: test/browser/ looks at their policies.
  const scripted = ['dashboard.html', 'mail-frame.html'];
  for (const file of each(filesOf('.html').filter((name) => !scripted.includes(name)))) {
    const script = file === 'index.html' ? home : undefined;
    const ofHome = script && `'sha256-${createHash('sha256').update(script).digest('base64')}'`;
    const source = file.startsWith('docs') ? "'self'" : ofHome;
    const html = built(file).replace(SEARCH, '');
    expect(html).toContain(`default-src 'none'; style-src 'self'; ${source ? `script-src ${source}; ` : ''}img-src`);
    expect(html.replace(`<script>${script}</script>`, '').replace(/<pre[^]*?<\/pre>/g, '')).not.toMatch(
      /<script|<style|\sstyle=|\son\w+=|\ssrc="?http/,
    );
  }
});

test('docs/commands.md, from which the page of the commands is made, is that of the commands', async () => {
  // The commands are loaded by the names of bundled files.
  const outfile = join(projectRoot, '.build', 'test-commands-page.cjs');
  const entryPoints = [join(projectRoot, 'cli/src/help/commands-page.ts')];
  buildSync({ bundle: true, platform: 'node', logLevel: 'error', entryPoints, outfile });
  const { commandsPage } = createRequire(__filename)(outfile) as { commandsPage: () => Promise<string> };
  expect(readFileSync(join(projectRoot, 'docs/commands.md'), 'utf8')).toBe(await commandsPage());
});

const SEARCH = /<script src="\/docs-find\.js\?v=\w{12}" data-index="\/docs-index\.js\?v=\w{12}" defer><\/script>/;

test('the search finds pages by the beginnings of words and in spite of a wrong letter, and is loaded when it is used', () => {
  const queries = ['revokeApi', 'marketplace remix', 'expirres', 'zzzzzz'];
  const program = `import { find } from ${JSON.stringify(join(dist, 'docs-index.js'))};
    console.log(JSON.stringify(${JSON.stringify(queries)}.map((query) => find(query).map(({ path }) => path))));`;
  const node = ['--input-type=module', '--eval', program];
  const [name, words, misspelt, none] = JSON.parse(
    execFileSync(process.execPath, node, { encoding: 'utf8' }),
  ) as string[][];
  expect([name![0], none]).toEqual(['/docs/api/revokeApiKey', []]);
  expect(words).toContain('/docs/guides/marketplace#Remix');
  expect(misspelt!.length).toBeGreaterThan(0);
  for (const path of each([...name!, ...words!])) {
    const [file, id] = path.split('#');
    expect(built(`${file}/index.html`)).toMatch(new RegExp(id ? `id="${id}"` : SEARCH));
  }
  // What a page loads before the reader uses the field.
  expect(built('docs-find.js').length).toBeLessThan(2048);
});
