import type { Link } from '../../cli/src/verbs/links';
import { linkToHandOut, type DeckState, type Wish } from '../../cli/src/verbs/open-link';

/** Which link of a deck a command hands out, and what it says about it. */

const urlOf = (name: string) => `https://decks.example/${name}`;

const aLink = (name: string, rules: Partial<Link> = {}): Link => ({
  id: `id-${name}`,
  name,
  pinnedVersion: null,
  state: 'active',
  revokedAt: null,
  expiresAt: null,
  createdAt: '',
  views: 0,
  lastOpenedAt: null,
  shareUrl: urlOf(name),
  shortUrl: null,
  hasPasscode: false,
  maxOpenings: null,
  openings: 0,
  allowedEmailCount: null,
  notify: 'never',
  ...rules,
});

/** The state of a deck at version 2, for its owner; without links for a collaborator. */
const aState = (links: Link[] | undefined, more: Partial<DeckState> = {}): DeckState => ({
  presentationId: 'x',
  title: 'Talk',
  version: 2,
  createdAt: '',
  updatedAt: '',
  totalViews: 0,
  lastViewedAt: null,
  expiresAt: null,
  closed: null,
  shareUrl: null,
  own: links && { links, takedown: { at: '', reason: 'A \u001b[31mcopy' }, listingSlug: null },
  ...more,
});

const one = aLink('one');
const two = aLink('two');
const oneThat = (rules: Partial<Link>) => [aLink('one', rules), two];
const taken = aState([one], { closed: 'taken-down' });

test.each<[string, DeckState, Partial<Wish>, name: string | undefined, notices: Record<string, string>]>([
  ['the oldest link', aState([one, two]), { remembered: urlOf('one') }, 'one', {}],
  [
    'another one when it is revoked',
    aState(oneThat({ state: 'revoked' })),
    { remembered: urlOf('one') },
    'two',
    {
      'link-replaced': 'The earlier link "one" is revoked. This is the link "two".',
    },
  ],
  ['one that follows the versions', aState(oneThat({ pinnedVersion: 1 })), {}, 'two', {}],
  [
    'one that stays on an old version',
    aState([aLink('one', { pinnedVersion: 1 })]),
    {},
    'one',
    {
      'link-pinned': 'The link "one" stays on version 1; the deck is at version 2.',
    },
  ],
  [
    'one that asks nothing',
    aState(oneThat({ maxOpenings: 1 })),
    { remembered: urlOf('one') },
    'two',
    {
      'link-replaced': 'The earlier link "one" asks who opens it. This is the link "two".',
    },
  ],
  ['one that asks, without another', aState([aLink('one', { hasPasscode: true })]), {}, 'one', {}],
  [
    'no link of a recipient',
    aState([aLink('one', { isPersonal: true })]),
    {},
    undefined,
    {
      'no-link': 'The only active links of this deck are those that were mailed to their recipients.',
    },
  ],
  [
    'none without an active link',
    aState([aLink('one', { state: 'used-up' })]),
    {},
    undefined,
    {
      'no-link': 'The deck has no active link: nobody can open the deck.',
    },
  ],
  ['none that a commit denies', aState([one]), { committed: null }, undefined, { 'no-link': 'The only active' }],
  ['the one of a commit, newer than the state', aState([one]), { committed: urlOf('new') }, 'new', {}],
  [
    'none of a deck that expired',
    aState([one], { closed: 'expired' }),
    {},
    undefined,
    { expired: 'This deck expired' },
  ],
  ['none of a deck that was taken down', taken, {}, undefined, { 'taken-down': 'A  [31mcopy' }],
  ['to a collaborator the link that is told', aState(undefined, { shareUrl: urlOf('two') }), {}, 'two', {}],
  [
    'to a collaborator another one',
    aState(undefined, { shareUrl: urlOf('two') }),
    { remembered: 'x' },
    'two',
    {
      'link-replaced': 'This is a different link than before.',
    },
  ],
  ['to a collaborator none', aState(undefined), {}, undefined, { 'no-link': 'The deck has no active link' }],
])('a command hands out %s', (_what, state, wish, name, told) => {
  const { shareUrl, notices } = linkToHandOut(state, { remembered: undefined, deckWords: [], ...wish });
  expect(shareUrl).toBe(name && urlOf(name));
  const said = Object.entries(told).map(([code, message]) => ({
    code,
    message: expect.stringContaining(message) as string,
  }));
  expect(notices).toMatchObject(said);
});
