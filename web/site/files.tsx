import { createHash } from 'node:crypto';
import type { VNode } from 'preact';
import { Favicon } from '../../functions/src/house/frame';
import { inlineHash, renderElement, renderPage } from '../../functions/src/house/render';
import { commandsCss, frameCss, houseCss } from '../../functions/src/house/style';
import { name } from '../../functions/src/house/tokens.json';
import { xml, xmlDocument } from '../../functions/src/house/xml';
import { Docs, type DocsPage, type Search, type Section } from './docs';
import { Home } from './home';
import { Layout } from './layout';
import { Privacy, Terms, type Operator } from './legal';
import { NotFound } from './not-found';

/** What the build reads before it writes the site. */
interface Site {
  baseUrl: string;
  siteUrl: string;
  pages: readonly DocsPage[];
  sections: readonly Section[];
  /** The description of the API as JSON. */
  openApi: string;
  /** The addresses of the search of the documentation. */
  search: Search;
  operator: Operator;
  /** The region of the service; undefined on this computer. */
  region: string | undefined;
  /** The style sheets of `style/`. */
  sheets: readonly string[];
  /** The script of the home page. */
  script: string;
}

/** The mark as a file. */
export const favicon = () => renderElement(<Favicon />);

/** The files of the site by their paths, without those of `static/` and of the dashboard. */
export function siteFiles({
  baseUrl,
  siteUrl,
  pages,
  sections,
  openApi,
  search,
  operator,
  region,
  sheets,
  script,
}: Site) {
  const style = [houseCss, frameCss, commandsCss, ...sheets].join('\n');
  // A new style gets a new address, because browsers keep the old one for an hour.
  const version = createHash('sha256').update(style).digest('hex').slice(0, 12);
  const common = { siteUrl, style: `/site.css?v=${version}` };
  const home = (
    <Layout
      {...common}
      title={`${name}: present from one link`}
      description={ABOUT}
      path="/"
      look="home"
      scriptSource={inlineHash(script)}
    >
      <Home baseUrl={baseUrl} siteUrl={siteUrl} script={script} />
    </Layout>
  );
  const notFound = (
    <Layout
      {...common}
      title={`Page not found · ${name}`}
      description="There is no page at this address."
      path={undefined}
      look="lost"
    >
      <NotFound />
    </Layout>
  );
  const legal = (title: string, path: string, description: string, page: VNode) => [
    `${path}/index.html`,
    renderPage(
      <Layout {...common} title={`${title} · ${name}`} description={description} path={path} look="legal">
        {page}
      </Layout>,
    ),
  ];
  const docs = pages.flatMap((page) => [
    [`${page.path}/index.html`, renderPage(docsPage(page, sections, search, common))],
    [`${page.path}.md`, `${page.markdown}\n`],
  ]);
  const sitemap = ['/', '/privacy', '/terms', ...pages.map(({ path }) => path)].map((path) =>
    xml('url', {}, xml('loc', {}, siteUrl + path)),
  );
  return Object.fromEntries([
    ['/index.html', renderPage(home)],
    ['/404.html', renderPage(notFound)],
    legal(
      'Privacy',
      '/privacy',
      'Which data about people this service stores, why, and for how long.',
      <Privacy operator={operator} region={region} />,
    ),
    legal('Terms', '/terms', 'The rules for using this service.', <Terms operator={operator} region={region} />),
    ...docs,
    ['/llms.txt', contentsOf(sections, baseUrl, siteUrl)],
    ['/llms-full.txt', pages.map(({ markdown }) => `${markdown}\n\n`).join('')],
    ['/openapi.json', openApi],
    ['/robots.txt', `User-agent: *\nDisallow: /dashboard\nSitemap: ${siteUrl}/sitemap.xml\n`],
    [
      '/sitemap-site.xml',
      xmlDocument(xml('urlset', { xmlns: 'http://www.sitemaps.org/schemas/sitemap/0.9' }, sitemap)),
    ],
    ['/site.css', style],
    ['/favicon.svg', favicon()],
  ]) as Record<string, string>;
}

const ABOUT = `${name} puts presentations made of HTML on the web. Drop the folder of your slides, send the link, and change your slides when you like.`;

function docsPage(
  page: DocsPage,
  sections: readonly Section[],
  search: Search,
  common: { siteUrl: string; style: string },
) {
  const { path, title, description } = page;
  const head = <link rel="alternate" type="text/markdown" href={`${path}.md`} />;
  return (
    <Layout
      {...common}
      title={`${title} · ${name}`}
      description={description}
      path={path}
      look="docs"
      head={head}
      scriptSource="'self'"
    >
      <Docs page={page} sections={sections} search={search} />
    </Layout>
  );
}

/** The contents of the documentation for language models. */
const contentsOf = (sections: readonly Section[], baseUrl: string, siteUrl: string) => `# ${name}

> ${name} hosts presentations that are made of HTML. The program \`deck\` pushes a folder and gives its secret link. Everything that it does is a call of an HTTPS API at ${baseUrl}.

An agent without the program uses the API: each call takes JSON and answers JSON, and each error tells in \`nextAction\` what to do next.

${sections.map((section) => `## ${section.name}\n\n${section.pages.map((page) => `- [${page.title}](${siteUrl}${page.path}.md): ${page.description}`).join('\n')}\n\n`).join('')}## Optional

- [openapi.json](${siteUrl}/openapi.json): The API in OpenAPI 3.1.
- [Everything on one page](${siteUrl}/llms-full.txt): All texts above in one file.
`;
