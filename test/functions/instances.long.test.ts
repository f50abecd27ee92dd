import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import * as functions from '../../functions/src/index';
import { labelOfListing } from '../../functions/src/values/deck-origins';
import { projectRoot } from '../../local/project';
import { aFolder } from '../local/folders';
import { navigation, openOnOrigin, requestTarget } from '../support/deck-origin';
import { deployTo } from '../support/deployed';
import { startInstance, type FrameworkInstance } from '../support/framework';
import { startLive } from '../support/live';
import { type Account, blob, type Deck, page, sha256, startWorld, world } from '../support/world';
import { buildBundles } from '../support/bundles';

/** What the instances of the built functions load and use. */

let owner: Account;
let deck: Deck;
let slug: string;
const instances: FrameworkInstance[] = [];
const deployed = aFolder();
const style = { ...blob(40, 'style.css'), contentType: 'text/css' };
const film = blob(3 * 1024 * 1024, 'film.mp4');

startWorld(async () => {
  buildBundles();
  deployTo(deployed);
  owner = await world.aPublisher('pro');
  deck = await world.aDeck(owner, [page(), style, film]);
  ({ slug } = await world.aListing(owner, {}, deck));
});
afterAll(() => Promise.all(instances.map((instance) => instance.stop())));

const viewsOf = async ({ presentationId }: Deck) =>
  (await world.database.doc(`presentations/${presentationId}/viewCounters/deck-0`).get()).get('views') as unknown;

const program = join(projectRoot, 'scripts', 'loaded-code.mjs');

/** What a function loads at its start: files of functions/lib, their bytes, and the modules that run. */
type Start = { files: string[]; bytes: number; own: number; ofPackages: number };

/**
 * What an instance may load before it can answer. An instance of every function reads the same two files. The deletion
 * of an account has the most modules, and then the share page: it checks the gate of the link, shows the gate's page,
 * and knows the pictures, the live session and the loads of the owner.
 */
const MOST = { bytes: 1_850_000, own: 175, ofPackages: 90 };

test('a function starts from two files, and evaluates only the modules that it needs', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [program]);
  const starts = JSON.parse(stdout) as Record<string, Start>;
  expect(Object.keys(starts)).toEqual(Object.keys(functions).toSorted());
  const heavy = Object.entries(starts).filter(
    ([, { files, bytes, own, ofPackages }]) =>
      files.join() !== 'functions.js,index.js' || bytes > MOST.bytes || own > MOST.own || ofPackages > MOST.ofPackages,
  );
  expect(heavy).toEqual([]);
  // Half of the functions need far less than the largest one.
  const sizes = Object.values(starts).map(({ own }) => own);
  expect(sizes.toSorted((a, b) => a - b)[Math.floor(sizes.length / 2)]).toBeLessThanOrEqual(115);
});

test('a viewer that has answered and counted a view has loaded no client library of Google, no mail provider and no transliteration', async () => {
  const viewed = await world.aDeck(owner);
  const path = `/${viewed.presentationId}/_t/${viewed.token}/`;
  // The local cloud in this process answers, so this process must not wait without its event loop.
  const { stdout } = await promisify(execFile)(process.execPath, [program, 'getSharedPresentation', path], {
    env: { ...process.env, ...world.cloud.environment },
  });
  const { files, modules } = JSON.parse(stdout.split('\n').at(-1)!) as { files: string[]; modules: string[] };
  expect(modules).toContain('src/endpoints/viewer/getSharedPresentation.ts');
  expect(files).toEqual(['functions.js', 'index.js']);
  const heavy = /\/(firebase-admin|google-gax|@google-cloud|@grpc|google-auth-library|resend|transliteration)\//;
  expect(modules.filter((each) => heavy.test(each))).toEqual([]);
  expect(modules.length).toBeLessThan(230);
  expect(await viewsOf(viewed)).toBe(1);
});

/** Starts a function in a process of its own, which notes each use of an AsyncLocalStorage. */
async function startWatched(name: string): Promise<FrameworkInstance> {
  const environment = {
    ...world.cloud.environment,
    TRUSTED_PROXY_HOPS: '1',
    LOG_EXECUTION_ID: 'true',
    NODE_OPTIONS: `--require ${join(projectRoot, 'test', 'support', 'async-watch.cjs')}`,
  };
  const instance = await startInstance(name, environment, deployed);
  instances.push(instance);
  return instance;
}

/** An AsyncLocalStorage that is in use costs half of a viewer's request on Node 20. */
const uses = ({ output }: FrameworkInstance) => new Set(output().match(/async-watch: .*/g));

/** The platform gives each request a trace. */
const trace = { 'x-cloud-trace-context': '0af7651916cd43dd8448eb211c80319c/1;o=1' };

async function statusOf(url: string, headers: Record<string, string> = {}, method = 'GET'): Promise<number> {
  const answer = await fetch(url, { method, headers: { ...trace, ...headers } });
  await answer.arrayBuffer();
  return answer.status;
}

test('getSharedPresentation serves, counts and refuses without an AsyncLocalStorage', async () => {
  const instance = await startWatched('getSharedPresentation');
  const url = (path: string, of = deck) => `${instance.url}/${of.presentationId}/_t/${of.token}/${path}`;
  const revoked = await world.aDeck(owner);
  await world.database
    .doc(`presentations/${revoked.presentationId}/shareTokens/${revoked.tokenId}`)
    .update({ revokedAt: new Date() });
  const damaged = await world.aDeck(owner);
  await world.database.doc(`presentations/${damaged.presentationId}`).update({ title: 7 });
  const statuses = [
    await statusOf(url('')),
    await statusOf(url(''), { 'if-none-match': `"${sha256(page().bytes)}"` }),
    await statusOf(url('style.css')),
    await statusOf(url('film.mp4'), { range: 'bytes=5-1500000' }),
    await statusOf(url('film.mp4')),
    await statusOf(url('film.mp4'), {}, 'HEAD'),
    await statusOf(url('none.css')),
    await statusOf(url('', revoked)),
    await statusOf(url('', damaged)),
  ];
  expect([statuses, await viewsOf(deck)]).toEqual([[200, 304, 200, 206, 200, 200, 404, 403, 500], 2]);
  expect([...uses(instance)]).toEqual([]);
  const traces = `"logging.googleapis.com/trace":"projects/${world.cloud.project}/traces/0af76519`;
  expect(instance.output()).toContain(traces);
});

test('deckSite serves, counts and refuses without an AsyncLocalStorage', async () => {
  const instance = await startWatched('deckSite');
  const link = await openOnOrigin(`${world.cloud.hostingUrl}/share/${deck.presentationId}?token=${deck.token}`);
  const listing = new URL(world.cloud.deckOrigin!.replace('*', labelOfListing(slug))).host;
  const { host, pathname } = { host: new URL(link.origin).host, pathname: new URL(link.ticketUrl).pathname };
  const get = async (path: string, headers: Record<string, string> = {}) => {
    const sent = { ...navigation, host, cookie: link.cookie, ...headers };
    return (await requestTarget(instance.url, path, { headers: sent })).status;
  };
  const statuses = [
    await get(pathname),
    await get('/'),
    await get('/none'),
    await get('/film.mp4', { range: 'bytes=5-1500000' }),
    await get('/', { cookie: '' }),
    await get('/', { host: listing }),
    await get('/none.css', { host: listing }),
    await get('/', { host: 'localhost' }),
  ];
  expect([statuses, [...uses(instance)]]).toEqual([[303, 200, 404, 206, 404, 200, 404, 421], []]);
});

test('sharePage and getMarketplaceListingContent serve without an AsyncLocalStorage', async () => {
  const names = ['sharePage', 'getMarketplaceListingContent'];
  const [ofShares, ofListings] = await Promise.all(names.map(startWatched));
  expect(await statusOf(`${ofShares!.url}/${deck.presentationId}?token=${deck.token}`)).toBe(200);
  expect(await statusOf(`${ofShares!.url}/${deck.presentationId}?token=x`)).toBe(404);
  expect(await statusOf(`${ofListings!.url}/${slug}/style.css`)).toBe(200);
  expect(await statusOf(`${ofListings!.url}/${slug}/none.css`)).toBe(404);
  expect([...uses(ofShares!), ...uses(ofListings!)]).toEqual([]);
});

test('other functions use an AsyncLocalStorage', async () => {
  const instance = await startWatched('verifyApiKey');
  expect(await statusOf(instance.url, { authorization: `Bearer ${owner.key}` }, 'POST')).toBe(200);
  expect([...uses(instance)]).toContain('async-watch: AsyncLocalStorage.run');
});

test('an instance that is stopped ends its streams of live sessions, and then itself', async () => {
  const { presenter } = await startLive(owner, deck);
  const instance = await startInstance('followLiveSession', world.cloud.environment, deployed);
  instances.push(instance);
  const headers = { accept: 'text/event-stream' };
  const stream = await fetch(`${instance.url}/?ticket=${presenter}`, { headers });
  process.kill(instance.pid, 'SIGTERM');
  // A stream that is cut off would fail.
  expect(await stream.text()).toContain('event: state');
});
