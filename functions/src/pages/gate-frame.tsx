import type { ComponentChildren } from 'preact';
import { config } from '../config';
import { raw } from '../house/attributes';
import { inlineHash, renderPage } from '../house/render';
import { compact, houseCss } from '../house/style';
import { name as product } from '../house/tokens.json';
import { inkOn } from '../values/contrast';

/** What the gate of a link and the page for asking for access have in common. Both work without scripts. */

const base = compact(`${houseCss}
* { box-sizing: border-box; }
body { display: flex; flex-direction: column; min-height: 100vh; min-height: 100dvh; margin: 0; padding: clamp(1rem, 5vw, 3rem);
  background: var(--paper); color: var(--ink); font: 16px/1.5 var(--sans); overflow-wrap: anywhere; }
main { width: 100%; max-width: 26rem; margin: auto; padding: clamp(1.25rem, 6vw, 2rem); border: 1px solid var(--line);
  border-top: 6px solid var(--brand, var(--accent)); border-radius: var(--radius); background: var(--card); }
.logo { display: block; max-width: 12rem; max-height: 4rem; margin-bottom: 1.25rem; }
h1 { margin: 0 0 .5rem; font-size: 1.35rem; line-height: 1.25; text-wrap: balance; }
p { margin: 0 0 1rem; } form { margin: 0; }
label { display: block; margin: 1rem 0 .3rem; font-weight: 550; }
input, textarea { width: 100%; min-height: 2.9rem; padding: .5rem .75rem; border: 1px solid var(--edge); border-radius: var(--radius);
  background: var(--paper); color: inherit; font: inherit; }
textarea { min-height: 6rem; resize: vertical; }
input.code { font: 1.4rem/1.4 var(--mono); letter-spacing: .25em; }
button { min-height: 2.9rem; padding: .5rem 1.25rem; border: 1px solid var(--edge); border-radius: var(--radius);
  background: var(--card); color: inherit; font: inherit; font-weight: 550; cursor: pointer; }
button.first { width: 100%; margin-top: 1.25rem; border-color: var(--brand, var(--accent)); background: var(--brand, var(--accent));
  color: var(--brand-ink, var(--card)); }
.more { display: flex; flex-wrap: wrap; gap: .5rem 1rem; align-items: center; margin-top: 1rem; font-size: .9rem; }
.more button { min-height: 2.5rem; padding: .2rem .8rem; }
a { color: inherit; } :focus-visible { outline: 3px solid var(--focus); outline-offset: 2px; }
.quiet { margin: 1.25rem 0 0; color: var(--quiet); font-size: .875rem; }
.wrong { padding: .6rem .8rem; border: 1px solid var(--bad); border-radius: var(--radius); color: var(--bad); }
`);

/** Only `#rrggbb` is a colour. */
const styleOf = (brandPrimary: string | null) =>
  /^#[\da-f]{6}$/i.test(brandPrimary ?? '')
    ? `${base}:root{--brand:${brandPrimary};--brand-ink:${inkOn(brandPrimary!)}}`
    : base;

interface FramePolicy {
  brandPrimary: string | null;
  script?: string;
  /**
   * The origins to which its forms lead, beside that of the page. A browser applies `form-action` to the redirects
   * after a form, too. Under `npm start` the last of them leads to the host of the site, which is not that of
   * `viewerUrl`.
   */
  targets: readonly string[];
}

/** The Content-Security-Policy of the page. */
export const gateFramePolicy = ({ brandPrimary, script, targets }: FramePolicy) =>
  [
    `default-src 'none'`,
    `img-src ${new URL(config.viewerUrl()).origin} data:`,
    `style-src ${inlineHash(styleOf(brandPrimary))}`,
    ...(script === undefined ? [] : [`script-src ${inlineHash(script)}`]),
    `base-uri 'none'`,
    `form-action 'self' ${[...new Set(targets)].join(' ')}`,
    `frame-ancestors 'none'`,
  ].join('; ');

interface Frame {
  title: string;
  brandPrimary: string | null;
  script?: string;
  children: ComponentChildren;
}

/** The page around the forms. */
export const renderGate = ({ title, brandPrimary, script, children }: Frame) =>
  renderPage(
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="referrer" content="no-referrer" />
        <meta name="robots" content="noindex, nofollow" />
        <title>{title}</title>
        <link rel="icon" href="data:," />
        <style {...raw(styleOf(brandPrimary))} />
      </head>
      <body>
        <main>
          {children}
          <p class="quiet">
            <a href={`${config.viewerUrl()}/privacy`}>Privacy</a> · {product}
          </p>
        </main>
        {script !== undefined && <script {...raw(script)} />}
      </body>
    </html>,
  );

/** The hidden fields that a form sends. */
export const HiddenFields = ({ fields }: { fields: Record<string, string | undefined> }) => (
  <>
    {Object.entries(fields).map(
      ([name, value]) => value !== undefined && <input type="hidden" name={name} value={value} />,
    )}
  </>
);

export const Wrong = ({ children }: { children: string }) => (
  <p class="wrong" role="alert" id="wrong">
    {children}
  </p>
);

/** Marks the field to which `Wrong` belongs. */
export const wrongField = { 'aria-invalid': true, 'aria-describedby': 'wrong' } as const;

export const EmailField = ({ value, isFirst, isWrong = false }: EmailFieldProps) => (
  <>
    <label for="email">Your email address</label>
    <input
      id="email"
      name="email"
      type="email"
      autocomplete="email"
      required
      autofocus={isFirst}
      value={value}
      {...(isWrong && wrongField)}
    />
  </>
);
interface EmailFieldProps {
  value: string | undefined;
  isFirst: boolean;
  isWrong?: boolean;
}

interface CodeFormsProps {
  action: string;
  /** What each of the two forms sends. */
  fields: Record<string, string | undefined>;
  email: string;
  /** What the code does. */
  button: string;
  isWrong: boolean;
  attemptsRemaining: number;
  /** When the next code can be mailed, in milliseconds; absent when it can be now. */
  nextCodeAt: number | undefined;
  /** The page without what was typed. */
  startUrl: string;
  now: Date;
}

/** The form for the code of a mail, and below it the ways to another code. */
export function CodeForms({ action, fields, email, button, isWrong, attemptsRemaining, ...more }: CodeFormsProps) {
  const wait = more.nextCodeAt === undefined ? 0 : Math.ceil((more.nextCodeAt - more.now.getTime()) / 60_000);
  return (
    <>
      {isWrong && (
        <Wrong>
          {attemptsRemaining > 0
            ? 'This code is wrong. Check it and try again.'
            : 'This code is no longer valid. Ask for a new one.'}
        </Wrong>
      )}
      <form method="post" action={action}>
        <HiddenFields fields={fields} />
        <label for="code">Code from the email</label>
        <input
          class="code"
          id="code"
          name="code"
          inputmode="numeric"
          autocomplete="one-time-code"
          required
          autofocus
          {...(isWrong && wrongField)}
        />
        <button class="first">{button}</button>
      </form>
      <div class="more">
        {wait > 0 ? (
          <span>
            You can have a new code in {wait} {wait === 1 ? 'minute' : 'minutes'}.
          </span>
        ) : (
          <form method="post" action={action}>
            <HiddenFields fields={{ ...fields, email }} />
            <button>Send a new code</button>
          </form>
        )}
        <a href={more.startUrl}>Use another address</a>
      </div>
    </>
  );
}
