import { isView } from '../../../functions/src/policy/deck-views';

const now = new Date('2026-11-22T12:00:00Z');
const secondsAgo = (seconds: number) => new Date(now.getTime() - seconds * 1000);
const none = { purpose: undefined, destination: undefined, site: undefined };

test.each<[object, number]>([
  [{}, 0],
  [{}, 86_400],
  [{ site: 'none', destination: 'document' }, 86_400],
  [{ site: 'cross-site', destination: 'document' }, 86_400],
  [{ site: 'same-origin', destination: 'document' }, 86_400],
  // A window that the site or another deck opens through the share link has a new grant.
  [{ site: 'same-site', destination: 'document' }, 60],
  [{ purpose: '' }, 86_400],
])('%j counts, %i seconds after the grant', (headers, age) => {
  expect(isView({ ...none, ...headers }, secondsAgo(age), now)).toBe(true);
});

test.each<[object, number]>([
  ...['prefetch', 'prefetch;prerender', ' Prefetch', 'preview'].map((purpose): [object, number] => [{ purpose }, 0]),
  ...['iframe', 'frame', 'embed', 'object'].map((destination): [object, number] => [
    { site: 'same-origin', destination },
    0,
  ]),
  [{ site: 'same-site', destination: 'iframe' }, 0],
  [{ destination: 'iframe' }, 0],
  [{ site: 'same-site', destination: 'document' }, 61],
  [{ site: 'same-site' }, 86_400],
])('%j does not count, %i seconds after the grant', (headers, age) => {
  expect(isView({ ...none, ...headers }, secondsAgo(age), now)).toBe(false);
});
