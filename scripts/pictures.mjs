// `npm run pictures`: fills a new local cloud with decks and listings, and takes the pictures of the README and of the
// guides in Chromium: docs/pictures/deck.webp, insights.webp, dashboard.webp, links.webp, marketplace.webp,
// publish.webp. Run it after a change of what they show. Readers read for half a minute.
import { Buffer } from 'node:buffer';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { setTimeout as pause } from 'node:timers/promises';
import { buildChanged, buildSite } from './build.mjs';
import { ensureChromium } from './chromium.mjs';
import { installMissing } from './install.mjs';
import { newestCode, newestMail, withCloud } from './recorded-cloud.mjs';
import { root } from './root.mjs';

const WINDOW = { width: 1280, height: 800 };
const THUMBNAIL = { width: 1200, height: 630 };
const QUALITY = 82;

/** Each deck: its title, its colours, the lines of its first slide, and its place in the marketplace. */
const DECKS = [
  ['Quarterly review', '#0f172a', '#38bdf8', 'Revenue +18 %, churn −2 points, and three bets for spring', 'business'],
  ['Designing calm software', '#fdf6ec', '#b45309', 'Fewer interruptions, better defaults, quieter screens', 'design'],
  ['Rust for people in a hurry', '#1c1917', '#fb923c', 'Ownership in twenty minutes, with exercises', 'engineering'],
  ['Field notes from Svalbard', '#e0f2fe', '#0c4a6e', 'What the ice cores of 2026 tell us', 'science'],
  [
    'How we ship on Fridays',
    '#052e16',
    '#4ade80',
    'Small changes, feature flags, and a rollback that works',
    'engineering',
  ],
  ['Brand guide 2027', '#4c1d95', '#f0abfc', 'Colour, type and voice on twelve pages', 'design'],
  ['Onboarding in one hour', '#fff7ed', '#9a3412', 'Everything that a new colleague needs on day one', 'people'],
  ['Maps that tell the truth', '#ecfdf5', '#065f46', 'Projections, scales, and how they mislead', 'science'],
];

/** The slides of the first deck after its first one. */
const SLIDES = ['Revenue by region', 'Why customers left', 'Three bets for spring', 'What we need', 'Questions'];

const [DESKTOP, PHONE] = [
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/147.0.0.0 Safari/537.36',
  'Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/19.0 Safari/604.1',
];

/** Readers of the first deck: whose link each opens, with which browser, and the seconds at each slide. */
const READERS = [
  ['grace@example.com', DESKTOP, [4, 6, 5, 9, 4, 3]],
  ['alan@example.com', PHONE, [3, 4, 8, 6, 2]],
  ['barbara@example.com', DESKTOP, [5, 7, 3, 11]],
  ['Board', DESKTOP, [3, 8, 6, 7, 3, 2]],
  ['Board', PHONE, [6, 5, 9]],
  ['Newsletter', PHONE, [11, 2]],
  ['Newsletter', DESKTOP, [4, 9, 4, 8]],
];

const BARS = [8, 11, 10, 14, 19].map((height) => `<i style="height: ${height}vmin"></i>`).join('');
/** The first deck has more slides, which its hash chooses. */
const more = `<style>section { display: none } section.shown { display: block }</style>
<script>
const slides = [...document.querySelectorAll('section')];
const show = () => slides.forEach((slide, i) => slide.classList.toggle('shown', '#' + (i + 1) === (location.hash || '#1')));
addEventListener('hashchange', show);
addEventListener('keydown', ({ key }) => {
  const next = Number(location.hash.slice(1) || 1) + 1;
  if (key === 'ArrowRight' && next <= slides.length) location.hash = next;
});
show();
</script>`;
const slide = (title, line) => `<section><h1>${title}</h1><p>${line}</p></section>`;
const html = ([title, paper, ink, line, category]) => `<!doctype html><meta charset="utf-8"><title>${title}</title>
<style>
html { background: ${paper}; color: ${ink}; font: 4vmin/1.4 'DejaVu Sans', system-ui, sans-serif; height: 100% }
body { margin: 0; height: 100%; display: grid; align-content: center; padding: 0 12vmin; box-sizing: border-box }
h1 { font-size: 11vmin; line-height: 1.05; margin: 0 0 4vmin; max-width: 14ch }
p { margin: 0; opacity: .85 }
i { display: inline-block; width: 7vmin; margin: 6vmin 2vmin 0 0; background: currentColor; border-radius: 1vmin }
</style>${
  category === 'business'
    ? `${slide(title, `${line}<div>${BARS}</div>`)}${SLIDES.map((each) => slide(each, '')).join('')}${more}`
    : `<h1>${title}</h1><p>${line}</p>`
}`;

await installMissing([''], { dev: true });
await Promise.all([buildChanged(), buildSite()]);
const { path: executablePath, problem } = ensureChromium();
if (problem) throw new Error(problem);
const { chromium } = await import('playwright-core');

const home = mkdtempSync(join(tmpdir(), 'deck-pictures-'));
// A browser that says that it has no window is a robot. What a page sends when it is left has the name of the browser.
const browser = await chromium.launch({ executablePath, args: [`--user-agent=${DESKTOP}`] });
try {
  await withCloud(takePictures);
} finally {
  await browser.close();
  rmSync(home, { recursive: true, force: true });
}

async function takePictures({ baseUrl, mailUrl, hostingUrl }) {
  const ada = await signUp({ baseUrl, mailUrl }, 'ada@example.com', 'Ada', 'Lovelace');
  const page = await browser.newPage({ viewport: WINDOW, colorScheme: 'light' });
  await page.goto(`${hostingUrl}/dashboard/sign-in`);
  await page.evaluate(signIn, ada);
  const account = { baseUrl, key: ada.key };
  const runJob = async (name) => {
    const { ok, status } = await fetch(`${baseUrl}/${name}`, { method: 'POST' });
    if (!ok) throw new Error(`${name} answered ${status}.`);
  };
  const slugs = [];
  let shown;
  for (const [i, deck] of [...DECKS.entries()].reverse()) {
    shown = await push(deck, i, account);
    slugs.unshift(await publish(deck, shown, account));
  }
  await Promise.all((await share(shown, { ...account, mailUrl })).map(read));
  await runJob('foldInsights');
  for (const [i, name] of ['Grace', 'Alan', 'Edsger', 'Barbara'].entries()) {
    const { key } = await signUp({ baseUrl, mailUrl }, `${name.toLowerCase()}@example.com`, name);
    for (const slug of slugs.slice(i)) await call(baseUrl, 'starMarketplaceListing', { slug }, key);
  }

  // The pictures of the cards, which a schedule makes each minute.
  await runJob('makePictures');

  const folder = join(root, 'docs/pictures');
  mkdirSync(folder, { recursive: true });
  const shoot = async (name, url, ready, { from } = {}) => {
    await page.goto(url);
    await page.locator(ready).first().waitFor();
    await page.waitForLoadState('networkidle');
    if (from)
      await page
        .locator(from)
        .first()
        .evaluate((element) => scrollTo(0, element.offsetTop - 24));
    await writeWebp(page, join(folder, `${name}.webp`));
  };
  await shoot('marketplace', `${hostingUrl}/marketplace`, 'main');
  await shoot('deck', shown.shareUrl, 'iframe, h1');
  const ready = 'main[aria-busy="false"] h1';
  await shoot('dashboard', `${hostingUrl}/dashboard/decks/${shown.presentationId}`, ready);
  await shoot('insights', `${hostingUrl}/dashboard/decks/${shown.presentationId}/insights?days=7`, '.bars, table', {
    from: '.insights .card',
  });
  await shoot('links', `${hostingUrl}/dashboard/decks/${shown.presentationId}/links`, ready);
  await shoot('publish', `${hostingUrl}/dashboard/new`, ready);
}

/** Signs the browser in on a page of the site, as the dashboard does. */
/* global localStorage, scrollTo -- the function runs in the page */
async function signIn({ exchange, kept }) {
  const headers = { 'Content-Type': 'application/json' };
  const answer = await fetch('/dashboardSession', { method: 'POST', headers, body: JSON.stringify({ exchange }) });
  const { binder } = (await answer.json()).data;
  localStorage.setItem('deckhost.session', JSON.stringify({ binder, ...kept }));
}

/** The picture of the window as WebP, which Playwright does not write itself. */
async function writeWebp(page, file) {
  const devtools = await page.context().newCDPSession(page);
  const { data } = await devtools.send('Page.captureScreenshot', { format: 'webp', quality: QUALITY });
  writeFileSync(file, Buffer.from(data, 'base64'));
  await devtools.detach();
}

async function call(baseUrl, name, body, key) {
  const headers = { 'content-type': 'application/json', ...(key && { authorization: `Bearer ${key}` }) };
  const response = await fetch(`${baseUrl}/${name}`, { method: 'POST', headers, body: JSON.stringify(body) });
  const { data, error } = await response.json();
  if (error) throw new Error(`${name}: ${error.code} ${error.message}`);
  return data;
}

/** An account, what its browser exchanges for a session and keeps of it, and a key with all scopes. */
async function signUp({ baseUrl, mailUrl }, email, firstName, lastName) {
  await call(baseUrl, 'cliRequestSignupOtp', { email });
  const code = await newestCode(mailUrl, email);
  const answer = await call(baseUrl, 'completeDashboardSignup', { email, code, user: { firstName, lastName } });
  const { sessionToken, exchange, organizationId, organizationName: name, user } = answer;
  const scopes = ['presentations:read', 'presentations:write', 'marketplace:publish'];
  const { apiKey } = await call(baseUrl, 'createApiKey', { name: 'laptop', scopes }, sessionToken);
  const kept = { user, organization: { organizationId, name } };
  return { key: apiKey.raw, exchange, kept };
}

/** Pushes the deck with the picture of its first slide, as `deck push` draws it where Chrome may run. */
async function push(deck, i, { baseUrl, key }) {
  const folder = join(home, `deck-${i}`);
  mkdirSync(folder);
  writeFileSync(join(folder, 'index.html'), html(deck));
  const page = await browser.newPage({ viewport: THUMBNAIL });
  await page.setContent(html(deck));
  await writeWebp(page, join(folder, 'thumbnail.webp'));
  await page.close();
  const env = { ...process.env, HOME: home, XDG_CONFIG_HOME: home, DECK_BASE_URL: baseUrl, DECK_API_KEY: key };
  const command = [join(root, 'cli/dist/deck.js'), 'push', folder, '--json'];
  return JSON.parse(execFileSync(process.execPath, command, { env, encoding: 'utf8' }));
}

async function publish([, , , description, category], { presentationId }, { baseUrl, key }) {
  const listing = { presentationId, kind: 'presentation', description, category, tags: [category] };
  return (await call(baseUrl, 'publishMarketplaceListing', listing, key)).slug;
}

/** Gives the deck named links, and mails it. Returns what each reader opens, with which browser, and how long. */
async function share({ presentationId }, { baseUrl, key, mailUrl }) {
  const urls = new Map();
  for (const tokenName of ['Board', 'Acme, second meeting', 'Newsletter']) {
    const { shareUrl } = await call(baseUrl, 'addPresentationToken', { presentationId, tokenName }, key);
    urls.set(tokenName, shareUrl);
  }
  const emails = ['grace@example.com', 'alan@example.com', 'barbara@example.com', 'edsger@example.com'];
  await call(baseUrl, 'sharePresentationViaEmail', { presentationId, emails }, key);
  for (const email of emails)
    urls.set(email, /Open the presentation:\s+(\S+)/.exec(await newestMail(mailUrl, email))[1]);
  return READERS.map(([name, userAgent, seconds]) => ({ url: urls.get(name), userAgent, seconds }));
}

/** Reads slide after slide, as a person does, and leaves. */
async function read({ url, userAgent, seconds }) {
  const context = await browser.newContext({ userAgent, viewport: WINDOW });
  const page = await context.newPage();
  await page.goto(url);
  for (const [i, each] of seconds.entries()) {
    if (i > 0) await page.keyboard.press('ArrowRight');
    await pause(each * 1000);
  }
  // What the page sends when it is left, needs a moment.
  await page.goto('about:blank');
  await pause(2000);
  await context.close();
}
