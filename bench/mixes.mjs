// What people do in the simulation. A person is a generator: a number is a pause in milliseconds, a list holds the
// calls that go out together. The next step follows when all of them are answered.

const MINUTE = 60_000;

/** The same numbers from 0 to 1 in every run. */
export function randomNumbers(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** A browser opens this many connections to a host of HTTP/1.1. */
const CONNECTIONS = 6;
const times = (count, name) => Array.from({ length: count }, () => name);
/** The calls as they leave the browser. */
const inTurns = (calls) =>
  Array.from({ length: Math.ceil(calls.length / CONNECTIONS) }, (_, i) =>
    calls.slice(i * CONNECTIONS, (i + 1) * CONNECTIONS),
  );

/** Somebody opens a share link: the page, then the deck with ten files beside its entry. */
function* reader() {
  yield ['sharePage'];
  yield ['deckSite'];
  yield* inTurns(times(10, 'deckSite'));
}

/** An owner works in the dashboard for ten minutes, and looks at a page three times a minute. */
function* owner(random) {
  const visits = [
    ['getOrganizationInsights', 'listMyPresentations'],
    ['listMyPresentations'],
    ['getSharedPresentationInfo'],
    ['getSharedPresentationInfo', 'listEmailSends'],
    ['getSharedPresentationInfo', 'listCollaborators'],
    ['getSharedPresentationInfo', 'listPresentationVersions'],
    ['getSharedPresentationInfo', 'getMarketplaceListing'],
    ['getSharedPresentationInfo', 'getPresentationInsights', 'listPresentationViews', 'listSlidePictures'],
    ['getAccount'],
    ['getUsage'],
    ['listApiKeys'],
  ];
  /** One look in ten. */
  const rare = [
    ['listEvents', 'listMyPresentations'],
    ['listWebhooks', 'listWebhookDeliveries'],
  ];
  const acts = [
    'addPresentationToken',
    'updateShareToken',
    'unsharePresentation',
    'setTokenVersionMode',
    'renamePresentation',
    'setPresentationExpiry',
    'restorePresentationVersion',
    'diffPresentationVersions',
    'previewPresentationVersion',
    'previewShareEmail',
    'sharePresentationViaEmail',
    'inviteCollaborator',
    'updateMarketplaceListing',
  ];
  const one = (list) => list[Math.floor(random() * list.length)];
  yield ['cliRequestLoginOtp'];
  yield 20_000 * random();
  yield ['createDashboardSession'];
  yield ['listMyPresentations'];
  for (let look = 0; look < 30; look++) {
    yield 40_000 * random();
    yield one(random() < 0.1 ? rare : visits);
    if (look % 3 === 2) yield [one(acts)];
  }
}

/** A program pushes 500 files of 20 KB: three forms at a time, as the client sends them. */
function* pusher() {
  yield ['verifyApiKey'];
  yield ['precheckAssets'];
  yield times(3, ['uploadPresentationAssets', 167]);
  yield ['commitPresentationVersion'];
}

/** Somebody comes from the news: the list and its pictures, one in three opens a listing, one in thirty stars it. */
function* visitor(random) {
  yield ['marketplacePage'];
  yield* inTurns(times(12, 'getMarketplaceListingContent'));
  if (random() > 1 / 3) return;
  yield 15_000 * random();
  yield ['listingPage'];
  yield ['deckSite', 'recordMarketplaceView', 'getMarketplaceListing'];
  yield* inTurns(times(10, 'deckSite'));
  if (random() < 0.1) yield ['starMarketplaceListing'];
}

const group = (person, count, ms) => ({ person, count, ms });
const link = group(reader, 1000, MINUTE);
const dashboard = group(owner, 200, MINUTE);
const push = group(pusher, 50, 10_000);
const news = group(visitor, 6000, 10 * MINUTE);

/** Each mix has groups of people who arrive, evenly spread by chance, within `ms`. */
export const mixes = {
  '1 000 people open one link within a minute': [link],
  '200 people work in the dashboard': [dashboard],
  '50 push 500 files each': [push],
  'the marketplace on the first page of a news site: 6 000 visitors in ten minutes': [news],
  'all of it together': [link, dashboard, push, news],
};

/** Sends the calls of all people of a mix. `send(call, onEnd)` gets the name of a call, or the name and its files. */
export function play(groups, region, send) {
  const random = randomNumbers(1);
  for (const { person, count, ms } of groups) {
    for (let i = 0; i < count; i++) region.at(ms * random(), () => next(person(random)));
  }

  function next(steps) {
    const { value, done } = steps.next();
    if (done) return;
    if (typeof value === 'number') return region.at(region.now + value, () => next(steps));
    let left = value.length;
    for (const call of value) send(call, () => --left === 0 && next(steps));
  }
}
