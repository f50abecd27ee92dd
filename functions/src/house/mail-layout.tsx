import type { ComponentChildren } from 'preact';
import { inkOn } from '../values/contrast';
import { raw } from './attributes';
import { colours, name } from './tokens.json';

const FONT = "font-family:-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif";

// Mail programs know no variables.
const { light, dark } = colours;
const { ink: INK, quiet: SOFT, line: EDGE, edge: FIRM_EDGE, paper: PAPER } = light;

/** The colour of the mails whose organization has none. */
export const ACCENT = light.accent;

/** Some mail programs show no cell without a text. */
const SPACE = '\u00a0';

/** A stored colour as mails use it; null for another text than `#rrggbb`. */
export const brandOf = (colour: string | null): string | null => (/^#[0-9a-f]{6}$/i.test(colour ?? '') ? colour : null);

interface TextProps {
  children: ComponentChildren;
}

export const Heading = ({ children }: TextProps) => (
  <h1
    class="ink"
    style={`margin:0 0 8px;font-size:20px;line-height:28px;font-weight:600;color:${INK};overflow-wrap:anywhere`}
  >
    {children}
  </h1>
);

export const Paragraph = ({ children }: TextProps) => <p style="margin:0 0 20px;overflow-wrap:anywhere">{children}</p>;

/** A text of a user. Line breaks are elements, because some mail programs ignore `white-space`. */
export const Quote = ({ text }: { text: string }) => (
  <p class="edge" style={`margin:0 0 20px;padding:0 0 0 12px;border-left:3px solid ${EDGE};overflow-wrap:anywhere`}>
    {text.split(/\r\n?|\n/).map((line, i) => [i > 0 && <br />, line])}
  </p>
);

export const Small = ({ children }: TextProps) => (
  <p class="soft" style={`margin:0;font-size:14px;line-height:20px;color:${SOFT};overflow-wrap:anywhere`}>
    {children}
  </p>
);

/** A link within `Small`. */
export const SmallLink = ({ url, children }: TextProps & { url: string }) => (
  <a class="soft" href={url} style={`color:${SOFT}`}>
    {children}
  </a>
);

/** A line between the content and what follows it. */
export const Rule = () => (
  <p class="edge" style={`margin:24px 0 16px;border-top:1px solid ${EDGE};font-size:0;line-height:0`}>
    {SPACE}
  </p>
);

/** A link that shows its URL. */
export const Address = ({ url }: { url: string }) => (
  <p style="margin:4px 0 20px;font-size:14px;line-height:20px;word-break:break-all">
    <SmallLink url={url}>{url}</SmallLink>
  </p>
);

const CODE = `margin:0 0 20px;border:1px solid ${EDGE};border-radius:8px;background:${PAPER};font-family:ui-monospace,Menlo,Consolas,monospace;color:${INK};overflow-wrap:anywhere`;

/** A text to copy, on a coloured ground. */
export const Code = ({ style, children }: TextProps & { style: string }) => (
  <p class="code" style={`${CODE};${style}`}>
    {children}
  </p>
);

/** The style of six digits. */
export const CODE_STYLE =
  'padding:16px 8px;font-size:32px;line-height:40px;font-weight:600;letter-spacing:6px;text-indent:6px;text-align:center';

const TABLE = { role: 'presentation', cellpadding: '0', cellspacing: '0', border: '0' } as const;

/** A large link on a coloured ground (`#rrggbb`). Its edge shows also when the mail has nearly the same colour. */
export const Button = ({ url, ground, children }: TextProps & { url: string; ground: string }) => (
  <table {...TABLE} style="margin:0 0 20px">
    <tr>
      <td class="edge" style={`border-radius:8px;background:${ground};border:1px solid ${FIRM_EDGE}`}>
        <a
          href={url}
          style={`display:inline-block;padding:12px 24px;font-weight:600;color:${inkOn(ground)};text-decoration:none`}
        >
          {children}
        </a>
      </td>
    </tr>
  </table>
);

export interface Picture {
  url: string;
  alt: string;
  /** In pixels, as the height. */
  width: number;
  height: number;
}

/** The width of the content of a mail in pixels. */
const CONTENT_WIDTH = 414;

/** A picture that leads to an address. Mail programs that load no pictures show its text in its place. */
export const LinkedPicture = ({
  url,
  picture: { url: src, alt, width, height },
}: {
  url: string;
  picture: Picture;
}) => (
  <p style="margin:0 0 20px">
    <a href={url} class="ink" style={`color:${INK};text-decoration:none`}>
      <img
        class="edge"
        src={src}
        alt={alt}
        width={CONTENT_WIDTH}
        height={Math.round((CONTENT_WIDTH * height) / width)}
        style={`display:block;box-sizing:border-box;width:100%;height:auto;border:1px solid ${EDGE};border-radius:8px;font-size:14px`}
      />
    </a>
  </p>
);

/** A part of the mark. The mark is drawn by cells, because many mail programs block pictures and drop SVG. */
const Bar = ({ width, height, radius = '0' }: { width: number; height: number; radius?: string }) => (
  <td style="padding:0 1px 0 0;vertical-align:middle">
    <div
      class="mark"
      style={`width:${width}px;height:${height}px;border-radius:${radius};background:${ACCENT};font-size:0;line-height:0`}
    >
      {SPACE}
    </div>
  </td>
);

/** The mark and the name, above the content. */
const Head = () => (
  <table {...TABLE} style="margin:0 auto">
    <tr>
      <Bar width={2} height={6} />
      <Bar width={2} height={10} />
      <Bar width={9} height={14} radius="0 7px 7px 0" />
      <td class="ink" style={`padding:0 0 0 7px;${FONT};font-size:16px;line-height:24px;font-weight:600;color:${INK}`}>
        {name}
      </td>
    </tr>
  </table>
);

const darkScheme = `
:root { color-scheme: light dark; }
@media (prefers-color-scheme: dark) {
  .page { background: ${dark.paper} !important; }
  .card { background: ${dark.card} !important; border-color: ${dark.line} !important; }
  .ink { color: ${dark.ink} !important; }
  .soft { color: ${dark.quiet} !important; }
  .mark { background: ${dark.accent} !important; }
  .edge { border-color: ${dark.edge} !important; }
  .code { background: ${dark.paper} !important; color: ${dark.ink} !important; border-color: ${dark.line} !important; }
}
`;

/** The end of the text of a mail: who sent it. The HTML of a mail says the same. */
export const signature = (site: string) => `${name}\n${site}\nPrivacy: ${site}/privacy\nTerms: ${site}/terms\n`;

interface MailProps extends TextProps {
  title: string;
  /** The address of the site, without a slash at its end. */
  site: string;
  /** The colour (`#rrggbb`) of a stripe along the upper edge. */
  brand?: string;
}

/**
 * The page of a mail, in light and dark colours. It uses tables and inline styles, because mail programs support little
 * else.
 */
export function MailPage({ title, site, brand, children }: MailProps) {
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="supported-color-schemes" content="light dark" />
        <title>{title}</title>
        <style {...raw(darkScheme)} />
      </head>
      <body class="page" style={`margin:0;padding:0;background:${PAPER}`}>
        <table {...TABLE} class="page" width="100%" style={`background:${PAPER}`}>
          <tr>
            <td align="center" style="padding:28px 16px 20px">
              <Head />
            </td>
          </tr>
          <tr>
            <td align="center" style="padding:0 16px">
              <table {...TABLE} class="card" width="100%" style={CARD}>
                {brand && (
                  <tr>
                    <td style={`height:6px;line-height:6px;font-size:0;background:${brand};border-radius:9px 9px 0 0`}>
                      {SPACE}
                    </td>
                  </tr>
                )}
                <tr>
                  <td
                    class="ink"
                    style={`padding:32px;${FONT};font-size:16px;line-height:24px;color:${INK};text-align:left`}
                  >
                    {children}
                  </td>
                </tr>
              </table>
            </td>
          </tr>
          <tr>
            <td
              class="soft"
              align="center"
              style={`padding:20px 16px 32px;${FONT};font-size:14px;line-height:20px;color:${SOFT}`}
            >
              {name} · <SmallLink url={site}>{new URL(site).host}</SmallLink> ·{' '}
              <SmallLink url={`${site}/privacy`}>Privacy</SmallLink> ·{' '}
              <SmallLink url={`${site}/terms`}>Terms</SmallLink>
            </td>
          </tr>
        </table>
      </body>
    </html>
  );
}

const CARD = `max-width:480px;background:${light.card};border:1px solid ${EDGE};border-radius:10px;overflow:hidden`;
