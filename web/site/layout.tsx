import type { ComponentChildren } from 'preact';
import { Footer, Header } from '../../functions/src/house/frame';

interface LayoutProps {
  title: string;
  description: string;
  siteUrl: string;
  /** The path of the page; undefined for a page that search engines must not show. */
  path: string | undefined;
  /** The class of the body, below which the style of the page stands. */
  look: 'home' | 'docs' | 'legal' | 'lost';
  /** The path of the style sheet, with its version. */
  style: string;
  /** The source by which the policy allows the inline script of the page. */
  scriptSource?: string;
  /** Further elements of the head. */
  head?: ComponentChildren;
  children: ComponentChildren;
}

/** The page around its main part. All pages of the site have this frame. */
export function Layout({ title, description, siteUrl, path, look, style, scriptSource, head, children }: LayoutProps) {
  const script = scriptSource === undefined ? '' : `script-src ${scriptSource}; `;
  const policy = `default-src 'none'; style-src 'self'; ${script}img-src 'self'; base-uri 'none'; form-action 'none'`;
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta http-equiv="Content-Security-Policy" content={policy} />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        {path === undefined ? <meta name="robots" content="noindex" /> : <link rel="canonical" href={siteUrl + path} />}
        <meta name="description" content={description} />
        <title>{title}</title>
        <link rel="icon" href="/favicon.ico" sizes="32x32" />
        <link rel="icon" href="/favicon.svg" type="image/svg+xml" />
        <link rel="stylesheet" href={style} />
        {head}
      </head>
      <body class={look}>
        <a class="skip" href="#content">
          Skip to the content
        </a>
        <Header site="" path={look === 'docs' ? path : undefined} />
        {children}
        <Footer site="" />
      </body>
    </html>
  );
}
