import { raw } from '../../functions/src/house/attributes';

/** A page of the documentation. */
export interface DocsPage {
  /** The path on the site, with its first slash. */
  path: string;
  title: string;
  description: string;
  /** The area of the endpoint that the page is about. */
  area?: string;
  /** The text as HTML and as Markdown. */
  html: string;
  markdown: string;
}

/** A part of the navigation. That of the reference is shown only beside it. */
export interface Section {
  name: string;
  isReference?: boolean;
  pages: readonly Pick<DocsPage, 'path' | 'title' | 'description'>[];
}

/** The addresses of the script of the search field, and of the index that it loads. */
export interface Search {
  script: string;
  index: string;
}

interface DocsProps {
  page: DocsPage;
  sections: readonly Section[];
  search: Search;
}

/** The search field. It needs a script, which shows it. */
const SearchField = ({ script, index }: Search) => (
  <>
    <form class="search" role="search" hidden>
      <input type="search" placeholder="Search the docs" aria-label="Search the docs" autocomplete="off" />
      <p role="status" />
      <ul />
    </form>
    <script src={script} data-index={index} defer />
  </>
);

/** The text of a page of the documentation, and the navigation beside it. */
export const Docs = ({ page: { path, area, html }, sections, search }: DocsProps) => (
  <div class="columns">
    <SearchField {...search} />
    <main id="content">
      <a class="to-pages" href="#pages">
        All pages
      </a>
      {area !== undefined && <p class="area">{area}</p>}
      <article {...raw(html)} />
      <p class="source">
        <a href={`${path}.md`}>This page as Markdown</a>
      </p>
    </main>
    <nav class="pages" id="pages" aria-label="Documentation">
      {sections
        .filter(({ isReference }) => !isReference || path.includes('/docs/api'))
        .map(({ name, pages }) => (
          <>
            <h2>{name}</h2>
            <ul>
              {pages.map((each) => (
                <li>
                  <a href={each.path} aria-current={each.path === path ? 'page' : undefined}>
                    {each.title}
                  </a>
                </li>
              ))}
            </ul>
          </>
        ))}
    </nav>
  </div>
);
