// `npm run pictures`: fills a new local cloud with decks and listings, and takes the pictures of the README and of the
// guides in Chromium: docs/pictures/deck.webp, dashboard.webp, links.webp, marketplace.webp, publish.webp. Run it after
// a change of what they show.
import { Buffer } from 'node:buffer';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { buildChanged, buildSite } from './build.mjs';
import { ensureChromium } from './chromium.mjs';
import { installMissing } from './install.mjs';
import { newestCode, withCloud } from './recorded-cloud.mjs';
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

const BARS = [8, 11, 10, 14, 19].map((height) => `<i style="height: ${height}vmin"></i>`).join('');
const html = ([title, paper, ink, line, category]) => `<!doctype html><meta charset="utf-8"><title>${title}</title>
<style>
html { background: ${paper}; color: ${ink}; font: 4vmin/1.4 'DejaVu Sans', system-ui, sans-serif; height: 100% }
body { margin: 0; height: 100%; display: grid; align-content: center; padding: 0 12vmin; box-sizing: border-box }
h1 { font-size: 11vmin; line-height: 1.05; margin: 0 0 4vmin; max-width: 14ch }
p { margin: 0; opacity: .85 }
i { display: inline-block; width: 7vmin; margin: 6vmin 2vmin 0 0; background: currentColor; border-radius: 1vmin }
</style><h1>${title}</h1><p>${line}</p>${category === 'business' ? `<div>${BARS}</div>` : ''}`;

await installMissing([''], { dev: true });
await Promise.all([buildChanged(), buildSite()]);
const { path: executablePath, problem } = ensureChromium();
if (problem) throw new Error(problem);
const { chromium } = await import('playwright-core');

const home = mkdtempSync(join(tmpdir(), 'deck-pictures-'));
const browser = await chromium.launch({ executablePath });
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
  const slugs = [];
  let shown;
  for (const [i, deck] of [...DECKS.entries()].reverse()) {
    shown = await push(deck, i, account);
    slugs.unshift(await publish(deck, shown, account));
  }
  await share(shown, account);
  for (const [i, name] of ['Grace', 'Alan', 'Edsger', 'Barbara'].entries()) {
    const { key } = await signUp({ baseUrl, mailUrl }, `${name.toLowerCase()}@example.com`, name);
    for (const slug of slugs.slice(i)) await call(baseUrl, 'starMarketplaceListing', { slug }, key);
  }

  // The pictures of the cards, which a schedule makes each minute.
  const made = await fetch(`${baseUrl}/makePictures`, { method: 'POST' });
  if (!made.ok) throw new Error(`makePictures answered ${made.status}.`);

  const folder = join(root, 'docs/pictures');
  mkdirSync(folder, { recursive: true });
  const shoot = async (name, url, ready) => {
    await page.goto(url);
    await page.locator(ready).first().waitFor();
    await page.waitForLoadState('networkidle');
    await writeWebp(page, join(folder, `${name}.webp`));
  };
  await shoot('marketplace', `${hostingUrl}/marketplace`, 'main');
  await shoot('deck', shown.shareUrl, 'iframe, h1');
  const ready = 'main[aria-busy="false"] h1';
  await shoot('dashboard', `${hostingUrl}/dashboard/decks/${shown.presentationId}`, ready);
  await shoot('links', `${hostingUrl}/dashboard/decks/${shown.presentationId}/links`, ready);
  await shoot('publish', `${hostingUrl}/dashboard/new`, ready);
}

/** Signs the browser in on a page of the site, as the dashboard does. */
/* global localStorage -- the function runs in the page */
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

/** Gives the deck named links with views. */
async function share({ presentationId }, { baseUrl, key }) {
  for (const [tokenName, views] of [
    ['Board', 9],
    ['Acme, second meeting', 4],
    ['Newsletter', 31],
  ]) {
    const { token } = await call(baseUrl, 'addPresentationToken', { presentationId, tokenName }, key);
    for (let i = 0; i < views; i++) await fetch(`${baseUrl}/getSharedPresentation/${presentationId}/_t/${token}/`);
  }
}
