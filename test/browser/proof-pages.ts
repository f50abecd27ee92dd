import type { Page } from 'playwright-core';
import { labelOfToken, originOf } from '../../functions/src/values/deck-origins';
import type { World } from '../support/world';
import { texts, type ProofWorld } from './proof-world';

export interface ProofPage {
  name: string;
  /** Who looks at the page. */
  as: 'nobody' | 'newcomer' | 'hostile' | 'guest';
  /** The path on the site, or a whole address. */
  at: (found: ProofWorld, world: World) => string;
  /** What the reader does to see the page, after it has loaded. */
  then?: (page: Page, found: ProofWorld, world: World) => Promise<unknown>;
  /** Its scripts and styles are those of the dashboard. */
  isDashboard: boolean;
  /** The answers of 400 and above that belong to the page. */
  expects?: RegExp;
}

const dashboard = (
  as: ProofPage['as'],
  name: string,
  at: ProofPage['at'],
  more: Partial<ProofPage> = {},
): ProofPage => ({
  ...{ name: `${name}, for ${as === 'hostile' ? 'somebody with hostile texts' : as}`, as, isDashboard: true },
  at: (found, world) => `/dashboard${at(found, world)}`,
  ...more,
});
const site = (name: string, path: string | ProofPage['at'], more: Partial<ProofPage> = {}): ProofPage => ({
  ...{ name, as: 'nobody', isDashboard: false, at: typeof path === 'string' ? () => path : path },
  ...more,
});
const notice = (name: string, at: ProofPage['at'] | string, status: number) =>
  site(name, at, { expects: new RegExp(`^${status}:|status of ${status}`) });

const requestCode = async (page: Page, email: string) => {
  await page.getByLabel('Email').fill(email);
  await page.getByRole('button', { name: 'Send code' }).click();
  await page.getByLabel('Code from the mail').waitFor();
};

const tabs = ['', '/versions', '/links', '/mails', '/people', '/marketplace', '/settings'];
const deckOf = ({ presentationId }: { presentationId: string }, tab: string) => `/decks/${presentationId}${tab}`;
const listed = (query: string) => `/marketplace${query}`;

/** Every page that people see. All proofs go through this list. */
export const proofPages: ProofPage[] = [
  dashboard('nobody', 'sign in', () => '/sign-in'),
  dashboard('nobody', 'sign in after the end of a session', () => '/sign-in?ended=1&next=%2Fdashboard'),
  dashboard('nobody', 'the code of a sign-in', () => '/sign-in', {
    then: (page, { guest }) => requestCode(page, guest.email),
  }),
  dashboard('nobody', 'sign up', () => '/sign-up'),
  dashboard('nobody', 'the code of a sign-up', () => '/sign-up', {
    then: (page) => requestCode(page, 'somebody.new@example.com'),
  }),
  dashboard('nobody', 'a missing page', () => '/no/such/page/here'),
  ...['', '/new', '/keys', '/usage', '/settings'].map((path) => dashboard('newcomer', path || 'decks', () => path)),
  dashboard('newcomer', 'a deck without access', ({ deck }) => deckOf(deck, ''), { expects: /403/ }),
  dashboard('newcomer', 'a missing deck', () => deckOf({ presentationId: 'absent' }, ''), { expects: /404|400/ }),
  dashboard('newcomer', 'a missing listing', () => '/remix/absent', { expects: /404/ }),
  dashboard('newcomer', 'remix', ({ plainSlug }) => `/remix/${plainSlug}`),
  // The page asks as the owner first. The browser reports the refusal.
  ...tabs.map((tab) =>
    dashboard('guest', `a deck of somebody else${tab}`, ({ deck }) => deckOf(deck, tab), { expects: /403/ }),
  ),
  ...['', '?q=nothing', '/new', '/keys', '/usage', '/settings'].map((path) =>
    dashboard('hostile', path || 'decks', () => path),
  ),
  ...tabs.map((tab) => dashboard('hostile', `a deck${tab}`, ({ deck }) => deckOf(deck, tab))),
  dashboard('hostile', 'an expired deck', ({ expiredDeck }) => deckOf(expiredDeck, '')),
  dashboard('hostile', 'links of a deck without one', ({ closedDeck }) => deckOf(closedDeck, '/links')),
  dashboard('hostile', 'mails of a deck without one', ({ expiredDeck }) => deckOf(expiredDeck, '/mails')),
  dashboard('hostile', 'people of a deck without one', ({ expiredDeck }) => deckOf(expiredDeck, '/people')),
  dashboard('hostile', 'a deck that is not listed', ({ expiredDeck }) => deckOf(expiredDeck, '/marketplace')),
  dashboard('hostile', 'remix', ({ slug }) => `/remix/${slug}`),

  site('home', '/'),
  ...['/docs', '/docs/guides/first-deck', '/docs/guides/ci', '/docs/commands', '/docs/api'].map((path) =>
    site(path, path),
  ),
  ...['/docs/api/commitPresentationVersion', '/docs/errors'].map((path) => site(path, path)),
  notice('a missing page', '/absent', 404),

  site('the marketplace', listed('')),
  site('a search', listed('?q=plain')),
  site('a search that finds nothing', listed('?q=nothing%20at%20all')),
  site('a kind in an order', listed('?kind=presentation&sort=stars')),
  site('a category', () => listed(`?category=${encodeURIComponent(texts.category)}`)),
  site('a tag', listed('?tag=finance')),
  site('an author', ({ authorPath }) => authorPath),
  notice('an unknown filter', listed('?kind=zzz'), 400),
  site('a listing', ({ slug }) => listed(`/${slug}`)),
  site('a listing with little', ({ plainSlug }) => listed(`/${plainSlug}`)),
  notice('an unknown listing', listed('/none-such'), 404),
  site('a sent report', ({ plainSlug }) => listed(`/${plainSlug}`), {
    then: async (page) => {
      await page.getByText('Report this listing').click();
      await page.getByLabel('What is wrong with it?').selectOption('It is spam');
      await page.getByRole('button', { name: 'Send report' }).click();
      await page.getByRole('heading', { name: 'Thank you' }).waitFor();
    },
  }),

  notice('a cut share link', '/share/x?token=y', 404),
  notice('a revoked share link', ({ revoked }) => revoked.share, 403),
  notice('an expired deck', ({ expiredDeck }) => expiredDeck.shareUrl, 410),
  notice(
    'the origin of a deck without its link',
    ({ plainDeck }, { cloud }) => `${originOf(cloud.deckOrigin!, labelOfToken(plainDeck.tokenId))}/`,
    404,
  ),
  notice('a cut link of a mail', '/mail/abc', 404),
  site('the choices of a mail', ({ mailUrl }) => mailUrl),
];
