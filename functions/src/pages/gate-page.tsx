import { config } from '../config';
import { raw } from '../house/attributes';
import { inlineHash, renderPage } from '../house/render';
import { compact, houseCss } from '../house/style';
import { name as product } from '../house/tokens.json';
import { inkOn } from '../values/contrast';
import { labelOfToken, originOf } from '../values/deck-origins';
import { gateUrl, type GateState } from '../values/gate-tokens';

/** What the gate of a link shows. Nothing of it is about the deck. */
interface GatePage {
  presentationId: string;
  /** What the form sends to name the link. */
  link: { token: string } | { again: string };
  organization: { name: string; brandPrimary: string | null; logoUrl: string | null };
  asksPasscode: boolean;
  asksAddress: boolean;
  isCounted: boolean;
  state: GateState | undefined;
  /** The state as it stands in the address. */
  sealed: string | undefined;
  /** The mark of an own load. */
  own: string | undefined;
}

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
input { width: 100%; min-height: 2.9rem; padding: .5rem .75rem; border: 1px solid var(--edge); border-radius: var(--radius);
  background: var(--paper); color: inherit; font: inherit; }
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
const styleOf = ({ brandPrimary }: GatePage['organization']) =>
  /^#[\da-f]{6}$/i.test(brandPrimary ?? '')
    ? `${base}:root{--brand:${brandPrimary};--brand-ink:${inkOn(brandPrimary!)}}`
    : base;

/** The deck opens at the slide of the address: browsers keep its fragment through redirects. */
const script = `for (const form of document.forms) form.action += location.hash`;

/**
 * The Content-Security-Policy of the page. A browser applies `form-action` to the redirects after a form, too. Under
 * `npm start` the last of them leads to the host of the site, which is not that of `viewerUrl`.
 */
export function gatePolicy(tokenId: string, organization: GatePage['organization']): string {
  const deckOrigin = config.deckOrigin();
  const targets = [
    new URL(config.baseUrl()).origin,
    new URL(config.viewerUrl()).origin,
    ...(deckOrigin === undefined ? [] : [originOf(deckOrigin, labelOfToken(tokenId))]),
  ];
  return [
    `default-src 'none'`,
    `img-src ${new URL(config.viewerUrl()).origin} data:`,
    `style-src ${inlineHash(styleOf(organization))}`,
    `script-src ${inlineHash(script)}`,
    `base-uri 'none'`,
    `form-action 'self' ${[...new Set(targets)].join(' ')}`,
    `frame-ancestors 'none'`,
  ].join('; ');
}

/** The page at which a link asks who opens it. It works without scripts. */
export function gatePage(page: GatePage): string {
  const { organization, state } = page;
  const isCode = state !== undefined && state.needs.length === 1 && state.needs[0] === 'code';
  const title = isCode ? 'Enter your code' : 'Open the presentation';
  return renderPage(
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="referrer" content="no-referrer" />
        <meta name="robots" content="noindex, nofollow" />
        <title>{title}</title>
        <link rel="icon" href="data:," />
        <style {...raw(styleOf(organization))} />
      </head>
      <body>
        <main>
          {organization.logoUrl !== null && <img class="logo" src={organization.logoUrl} alt="" />}
          <h1>{title}</h1>
          <p>
            <bdi lang="">{organization.name}</bdi> shares a presentation with you.
          </p>
          {isCode ? <CodeForm {...page} state={state} /> : <FirstForm {...page} />}
          <p class="quiet">{whatIsSeen(page)}</p>
          <p class="quiet">
            <a href={`${config.viewerUrl()}/privacy`}>Privacy</a> · {product}
          </p>
        </main>
        <script {...raw(script)} />
      </body>
    </html>,
  );
}

const whatIsSeen = ({ asksAddress, isCounted }: GatePage) =>
  `The sender sees that the presentation was opened${asksAddress ? ', and by which address' : ''}.` +
  (isCounted ? ' The link opens a limited number of times.' : '');

/** The fields that each form sends. */
const Hidden = ({ presentationId, link, own, sealed }: GatePage) => (
  <>
    {Object.entries({ presentationId, ...link, ...(own && { own }), ...(sealed && { gate: sealed }) }).map(
      ([field, value]) => (
        <input type="hidden" name={field} value={value} />
      ),
    )}
  </>
);

const action = () => `${config.baseUrl()}/openSharePage`;

const Wrong = ({ children }: { children: string }) => (
  <p class="wrong" role="alert" id="wrong">
    {children}
  </p>
);

function FirstForm(page: GatePage) {
  const { asksPasscode, asksAddress, state } = page;
  const isProven = state?.provenPasscode !== undefined;
  const isWrong = state?.wrong === 'passcode';
  return (
    <form method="post" action={action()}>
      <Hidden {...page} />
      {isWrong && <Wrong>This passcode is wrong. Check it and try again.</Wrong>}
      {asksPasscode && !isProven && (
        <>
          <label for="passcode">Passcode</label>
          <input
            id="passcode"
            name="passcode"
            type="password"
            autocomplete="off"
            required
            autofocus
            {...(isWrong && { 'aria-invalid': true, 'aria-describedby': 'wrong' })}
          />
        </>
      )}
      {asksAddress && (
        <>
          <label for="email">Your email address</label>
          <input
            id="email"
            name="email"
            type="email"
            autocomplete="email"
            required
            autofocus={!asksPasscode || isProven}
            value={state?.email}
          />
        </>
      )}
      <button class="first">{asksAddress ? 'Continue' : 'Open the presentation'}</button>
    </form>
  );
}

function CodeForm(page: GatePage & { state: GateState }) {
  const { state, link, presentationId } = page;
  const isWrong = state.wrong === 'code';
  const left = state.attemptsRemaining ?? 0;
  return (
    <>
      <p>
        If this link is meant for <bdi>{state.email}</bdi>, a code is on its way to that address. It works for 10
        minutes.
      </p>
      {isWrong && (
        <Wrong>
          {left > 0
            ? 'This code is wrong. Check it and try again.'
            : 'This code is no longer valid. Ask for a new one.'}
        </Wrong>
      )}
      <form method="post" action={action()}>
        <Hidden {...page} />
        <label for="code">Code from the email</label>
        <input
          class="code"
          id="code"
          name="code"
          inputmode="numeric"
          autocomplete="one-time-code"
          required
          autofocus
          {...(isWrong && { 'aria-invalid': true, 'aria-describedby': 'wrong' })}
        />
        <button class="first">Open the presentation</button>
      </form>
      <div class="more">
        <form method="post" action={action()}>
          <Hidden {...page} />
          <input type="hidden" name="email" value={state.email} />
          <button>Send a new code</button>
        </form>
        <a href={gateUrl(config.viewerUrl(), presentationId, link)}>Use another address</a>
      </div>
    </>
  );
}
