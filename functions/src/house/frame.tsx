import { colours, links, mark, name } from './tokens.json';
import { raw } from './attributes';

/** The mark in the colour of the text around it. */
export const Mark = () => (
  <svg class="mark" viewBox={mark.box} width="20" height="20" aria-hidden="true">
    <path fill="currentColor" d={mark.path} />
  </svg>
);

const faviconCss = `path{fill:${colours.light.accent}}@media(prefers-color-scheme:dark){path{fill:${colours.dark.accent}}}`;

/** The mark as a file, in the accent of the reader's scheme. */
export const Favicon = () => (
  <svg xmlns="http://www.w3.org/2000/svg" viewBox={mark.box}>
    <style {...raw(faviconCss)} />
    <path d={mark.path} />
  </svg>
);

interface FrameProps {
  /** The address of the site without a slash, or '' on its own pages. */
  site: string;
  /** The path of the page. Its link is marked, and the links of pages above it. */
  path?: string | undefined;
}

/** The page at `path`, its forms with a query, and the pages below it are marked. */
function currentOf(path: string, current = '') {
  if (path === current) return 'page';
  return ['/', '?'].some((next) => current.startsWith(path + next)) ? 'true' : undefined;
}

const linksTo = (each: typeof links.header, { site, path: current }: FrameProps) =>
  each.map(({ text, path }) => (
    <a href={site + path} aria-current={currentOf(path, current)}>
      {text}
    </a>
  ));

/** The header of all pages. */
export const Header = (props: FrameProps) => (
  <header class="house">
    <a class="name" href={`${props.site}/`}>
      <Mark />
      {name}
    </a>
    <nav aria-label="Site">{linksTo(links.header, props)}</nav>
  </header>
);

/** The footer of all pages. */
export const Footer = ({ site }: FrameProps) => (
  <footer class="house">
    <a class="name" href={`${site}/`}>
      {name}
    </a>
    <nav aria-label="More">{linksTo(links.footer, { site })}</nav>
  </footer>
);
