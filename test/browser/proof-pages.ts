import type { Page } from 'playwright-core';
import { labelOfToken, originOf } from '../../functions/src/values/deck-origins';
import type { World } from '../support/world';
import { texts, type ProofWorld } from './proof-world';

/** What the reader does on a page. The dashboard may be in any language: a step names no text of it. */
type Step = (page: Page, found: ProofWorld, world: World) => Promise<unknown>;

export interface ProofPage {
  name: string;
  /** Who looks at the page. */
  as: 'nobody' | 'newcomer' | 'hostile' | 'guest';
  /** The path on the site, or a whole address. */
  at: (found: ProofWorld, world: World) => string;
  /** What the reader does to see the page, after it has loaded. */
  then?: Step;
  /** What the reader opens there, one after the other. The proofs look at each, too, and close a dialog. */
  opens?: Record<string, Step>;
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
  name: `${name}, for ${as === 'hostile' ? 'somebody with hostile texts' : as}`,
  as,
  isDashboard: true,
  at: (found, world) => `/dashboard${at(found, world)}`,
  ...more,
});
const site = (name: string, path: string | ProofPage['at'], more: Partial<ProofPage> = {}): ProofPage => ({
  name,
  as: 'nobody',
  isDashboard: false,
  at: typeof path === 'string' ? () => path : path,
  ...more,
});
const notice = (name: string, at: ProofPage['at'] | string, status: number) =>
  site(name, at, { expects: new RegExp(`^${status}:|status of ${status}`) });

const requestCode = async (page: Page, email: string) => {
  await page.locator('input[type=email]').fill(email);
  await page.locator('main form [type=submit]').click();
  await page.locator('input[autocomplete=one-time-code]').waitFor();
};

/** Clicks, and waits for what appears then. */
const opens =
  (opener: string, shown: string): Step =>
  async (page) => {
    const first = page.locator(opener).first();
    // A picture is loaded, and can be opened, when it can be seen.
    await first.scrollIntoViewIfNeeded();
    await first.click();
    await page.locator(shown).first().waitFor();
  };
/** Opens what is folded, also where it is open already, and waits for what is in it. */
const unfolds =
  (details: string, shown: string): Step =>
  async (page) => {
    const first = page.locator(details).first();
    if ((await first.getAttribute('open')) === null) await first.locator('summary').click();
    await first.locator(shown).waitFor();
  };
const aDialog = (opener: string) => opens(opener, 'dialog[open]');
const fills =
  (field: string, typed: string): Step =>
  (page) =>
    page.locator(field).first().fill(typed);
const inTurn =
  (...steps: Step[]): Step =>
  async (...given) => {
    for (const step of steps) await step(...given);
  };

/** Chooses an entry of the menu of a row. Both are counted from 0. */
const chooses = (row: number, entry: number, shown = 'dialog[open]') =>
  inTurn(
    opens(`.row [aria-haspopup=menu] >> nth=${row}`, '[role=menuitem]'),
    opens(`[role=menuitem] >> nth=${entry}`, shown),
  );

const tabs = ['', '/versions', '/links', '/mails', '/insights', '/people', '/marketplace', '/settings'];
/** What the owner opens on the pages of a deck. A question about what cannot be undone always has the same form. */
const openedAt: Record<string, ProofPage['opens']> = {
  '': {
    'the deck in its frame': opens('.poster .button', '.stage iframe'),
    'the start of a live session': aDialog('.heading button'),
  },
  '/versions': {
    'a comparison': chooses(0, 1, '.comparison .files'),
    'files for a new version': opens('.versions .primary', '.drop-zone'),
  },
  '/links': {
    'a QR code': chooses(0, 0),
    'a link': chooses(0, 1),
    'a revocation': chooses(0, 2),
  },
  '/mails': {
    'a mail': opens('.mails form [type=button]', '.mail iframe'),
    'the text of a mail': inTurn(
      opens('.mails form [type=button]', '.mail iframe'),
      opens('.shows [aria-pressed=false]', '.mail .text'),
    ),
  },
  '/insights': {
    'the days as a table': unfolds('.day-chart details', 'table'),
    'an enlarged picture': aDialog('.pictured button'),
    'the slides of a visit': unfolds('.row details', 'table'),
    'another time': opens('.shows button >> nth=3', '.own-span'),
  },
  '/people': { 'the removal of a person': aDialog('.people table button') },
  '/settings': { 'a deletion': aDialog('.settings .danger') },
};
/** The dialog of a new key, and what the page shows when it is made. */
const openedAtKeys: ProofPage['opens'] = {
  'a revocation': aDialog('.keys table .danger'),
  'a key': aDialog('.heading .primary'),
  'the new key': inTurn(
    aDialog('.heading .primary'),
    fills('dialog input', texts.key),
    opens('dialog [type=submit]', '.new-key'),
  ),
};
/** The dialog of a webhook, what was sent to it, and the secret of a new one. */
const openedAtWebhooks: ProofPage['opens'] = {
  'a delivery': inTurn(
    unfolds('.webhooks .card > details', '.deliveries li'),
    unfolds('.deliveries details', 'pre >> nth=0'),
  ),
  'a change': aDialog('.webhooks .card > .actions button >> nth=1'),
  'some events': inTurn(
    aDialog('.heading .primary'),
    opens('dialog [type=radio] >> nth=1', 'dialog [type=checkbox] >> nth=2'),
  ),
  'the new secret': inTurn(
    aDialog('.heading .primary'),
    fills('dialog input', 'https://hooks.example.com/new'),
    opens('dialog [type=submit]', '.new-secret'),
  ),
};
/** A question, which names an address that somebody typed. */
const openedAtSettings: ProofPage['opens'] = {
  'a reader to forget': inTurn(
    fills('[aria-labelledby=forget] input', 'reader@example.com'),
    aDialog('[aria-labelledby=forget] .danger'),
  ),
};
/** A page of the person's computer, before and after it is published. */
const openedAtNew: ProofPage['opens'] = {
  'a chosen file': async (page) => {
    const buffer = Buffer.from(`<!doctype html><title>${texts.title.replaceAll('<', '&lt;')}</title><p>One`);
    await page.locator('input[type=file][accept]').setInputFiles({ name: texts.file, mimeType: 'text/html', buffer });
    await page.locator('.check-form').waitFor();
  },
  'a published file': opens('.check-form [type=submit]', '.push-done'),
};
const deckOf = ({ presentationId }: { presentationId: string }, tab: string) => `/decks/${presentationId}${tab}`;
const listed = (query: string) => `/marketplace${query}`;

/** Every page that people see. The long tests go through this list. */
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
  dashboard('nobody', 'a deleted account', () => '/account-deleted'),
  dashboard('nobody', 'a missing page', () => '/no/such/page/here'),
  ...['', '/decks', '/new', '/requests', '/keys', '/webhooks', '/activity', '/usage', '/settings'].map((path) =>
    dashboard('newcomer', path || 'overview', () => path),
  ),
  dashboard('newcomer', 'a deck without access', ({ deck }) => deckOf(deck, ''), { expects: /403/ }),
  dashboard('newcomer', 'a missing deck', () => deckOf({ presentationId: 'absent' }, ''), { expects: /404|400/ }),
  dashboard('newcomer', 'a missing listing', () => '/remix/absent', { expects: /404/ }),
  dashboard('newcomer', 'remix', ({ plainSlug }) => `/remix/${plainSlug}`),
  // The page asks as the owner first. The browser reports the refusal.
  ...tabs.map((tab) =>
    dashboard('guest', `a deck of somebody else${tab}`, ({ deck }) => deckOf(deck, tab), { expects: /403/ }),
  ),
  ...['', '/decks', '/decks?q=nothing', '/usage'].map((path) => dashboard('hostile', path || 'overview', () => path)),
  dashboard('hostile', '/settings', () => '/settings', { opens: openedAtSettings }),
  dashboard('hostile', '/new', () => '/new', { opens: openedAtNew }),
  dashboard('hostile', '/requests', () => '/requests', {
    opens: { 'the answered requests': unfolds('.requests details', 'table') },
  }),
  dashboard('hostile', '/keys', () => '/keys', { opens: openedAtKeys }),
  dashboard('hostile', '/webhooks', () => '/webhooks', { opens: openedAtWebhooks }),
  ...['/activity', '/activity?type=link.created', '/activity?type=email.bounced'].map((path) =>
    dashboard('hostile', path, () => path),
  ),
  ...tabs.map((tab) => dashboard('hostile', `a deck${tab}`, ({ deck }) => deckOf(deck, tab), { opens: openedAt[tab] })),
  ...['', '/settings'].flatMap((tab) => [
    dashboard('hostile', `an expired deck${tab}`, ({ expiredDeck }) => deckOf(expiredDeck, tab)),
    dashboard('hostile', `a deck that was taken down${tab}`, ({ takenDeck }) => deckOf(takenDeck, tab)),
  ]),
  dashboard('hostile', 'links of a deck without one', ({ closedDeck }) => deckOf(closedDeck, '/links')),
  dashboard('hostile', 'mails of a deck without one', ({ expiredDeck }) => deckOf(expiredDeck, '/mails')),
  dashboard('hostile', 'insights of a deck without visits', ({ expiredDeck }) => deckOf(expiredDeck, '/insights')),
  dashboard('hostile', 'people of a deck without one', ({ expiredDeck }) => deckOf(expiredDeck, '/people')),
  dashboard('hostile', 'a deck that is not listed', ({ expiredDeck }) => deckOf(expiredDeck, '/marketplace')),
  dashboard('hostile', 'remix', ({ slug }) => `/remix/${slug}`),

  site('home', '/'),
  ...['/docs', '/docs/commands', '/docs/api', '/docs/api/commitPresentationVersion', '/docs/errors'].map((path) =>
    site(path, path),
  ),
  ...['browser', 'first-deck', 'ci'].map((guide) => site(`/docs/guides/${guide}`, `/docs/guides/${guide}`)),
  notice('a missing page', '/absent', 404),

  site('the marketplace', listed('')),
  site('an empty marketplace', listed(''), {
    then: async (page, _, { database }) => {
      const { docs } = await database.collection('listings').get();
      await Promise.all(docs.map(({ ref }) => ref.delete()));
      try {
        await page.reload();
        await page.locator('.empty').waitFor();
      } finally {
        await Promise.all(docs.map((each) => each.ref.set(each.data())));
      }
    },
  }),
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
  notice('a revoked share link', ({ revoked }) => revoked.shareUrl, 403),
  notice('an expired deck', ({ expiredDeck }) => expiredDeck.shareUrl, 410),
  notice(
    'the origin of a deck without its link',
    ({ plainDeck }, { cloud }) => `${originOf(cloud.deckOrigin!, labelOfToken(plainDeck.tokenId))}/`,
    404,
  ),
  notice('a cut link of a mail', '/mail/abc', 404),
  site('the choices of a mail', ({ mailUrl }) => mailUrl),
];

const named = (...names: string[]): ProofPage[] => names.map((name) => proofPages.find((page) => page.name === name)!);
const links = 'a deck/links, for somebody with hostile texts';

/** The pages of the fast tests, one of each kind. The long tests go through all. */
export const somePages = {
  read: named('sign in, for nobody', links, 'a listing', 'a revoked share link'),
  weighed: named('a listing'),
  translated: named(links),
};
