import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { addressesOf } from './site/addresses.mjs';
import { commandsCss, faviconSvg, footerHtml, frameCss, headerHtml, houseCss, name } from './site/house.mjs';
import { markdownWith } from './site/markdown.mjs';
import { readPages } from './site/pages.mjs';
import { scripts } from './site/scripts.mjs';

const root = join(import.meta.dirname, '..');

export default function configure(eleventy) {
  const addresses = addressesOf(root, process.env.GCLOUD_PROJECT);
  const { pages, sections, document } = readPages(root, addresses);
  const isEndpoint = ({ path }) => path.startsWith('/docs/api/');
  const render = markdownWith(pages.filter(isEndpoint).map(({ title }) => title));
  const sheets = ['base', 'home', 'docs'].map((sheet) => readFileSync(join(root, `web/style/${sheet}.css`), 'utf8'));
  const style = [houseCss(), frameCss, commandsCss, ...sheets].join('\n');

  eleventy.addGlobalData('site', {
    ...{ ...addresses, pages, sections },
    document: JSON.stringify(document, null, 2),
    style,
    // A new style gets a new address, because browsers keep the old one for an hour.
    styleVersion: createHash('sha256').update(style).digest('hex').slice(0, 12),
  });
  eleventy.addGlobalData('scripts', scripts);
  eleventy.addGlobalData('house', {
    name,
    header: (path) => headerHtml('', path),
    footer: () => footerHtml(''),
    favicon: faviconSvg,
  });
  eleventy.addFilter('markdown', ({ markdown, title }) => render(markdown, title));
  // Addresses become those of Markdown files, with the site, so that a text can be read by itself.
  eleventy.addFilter('forAgents', ({ path: own, markdown }) =>
    markdown.replace(/\]\((\/[\w./-]*)?(#[\w-]+)?\)/g, (_, path = own, hash = '') => {
      const file = /\.\w+$/.test(path) || !path.startsWith('/docs') ? path : `${path}.md`;
      return `](${addresses.siteUrl}${file}${hash})`;
    }),
  );
  eleventy.addPassthroughCopy({ static: '/' });
  eleventy.setServerOptions({ showAllHosts: false });
  return {
    dir: { input: 'pages', layouts: '_layouts', output: 'dist' },
    htmlTemplateEngine: 'njk',
    templateFormats: ['njk'],
  };
}
