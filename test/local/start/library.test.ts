import { existsSync } from 'node:fs';
import { startLocalCloud, type LocalCloudOptions } from '../../../local';
import { freePorts, otherPort } from '../../../local/ports';
import { navigation, requestLocally } from '../../support/deck-origin';
import { aFolder } from '../folders';
import { plain } from '../host/functions';
import { aTakenPort } from './command';

const noFunctions: LocalCloudOptions['loadFunctions'] = () => Promise.resolve({});

test('the functions are loaded after their environment is set; when called, they have every address', async () => {
  let environmentAtLoad: NodeJS.ProcessEnv = {};
  const tell = plain((_req, res) => void res.end(JSON.stringify(process.env)));
  const cloud = await startLocalCloud({
    ephemeral: true,
    platformLimits: true,
    loadFunctions: () => {
      environmentAtLoad = { ...process.env };
      return Promise.resolve({ tell });
    },
  });
  const own = { GCLOUD_PROJECT: 'demo-decks', FIRESTORE_EMULATOR_HOST: cloud.firestoreHost };
  expect(environmentAtLoad).toMatchObject({ ...own, MAX_REQUEST_BYTES: '33554432' });
  const told = (await (await fetch(`${cloud.baseUrl}/tell`)).json()) as Record<string, string>;
  expect(told).toMatchObject({ ...cloud.environment, BASE_URL: cloud.baseUrl, VIEWER_URL: cloud.hostingUrl });
  await Promise.all([cloud.close(), cloud.close()]);
  expect(existsSync(cloud.dataDir)).toBe(false);
});

describe('deck origins', () => {
  const deckSite = plain((req, res) => void res.end(`${req.headers.host} ${req.url}`));
  const sharePage = plain((req, res) => void res.end(String(req.headers['sec-fetch-mode'])));
  const startWith = (options: Partial<LocalCloudOptions>) =>
    startLocalCloud({ ephemeral: true, ...options, loadFunctions: () => Promise.resolve({ deckSite, sharePage }) });

  test('hand every request to deckSite, with its host and its whole path', async () => {
    const cloud = await startWith({});
    const { port } = new URL(cloud.deckOrigin!.replace('*', 'any'));
    expect(cloud.deckOrigin).toBe(`http://*.decks.localhost:${port}`);
    expect(process.env['DECK_ORIGIN']).toBe(cloud.deckOrigin);
    for (const host of ['abc.decks.localhost', 'ABC.decks.localhost', 'decks.example.com', '127.0.0.1']) {
      const { text } = await requestLocally(`http://127.0.0.1:${port}/a//b%2Fc?d=/e`, { headers: { host } });
      expect(text).toBe(`${host} /a//b%2Fc?d=/e`);
    }
    const { text } = await requestLocally(`http://abc.decks.localhost:${port}/favicon.ico`);
    expect(text).toBe(`abc.decks.localhost:${port} /favicon.ico`);
    await cloud.close();
  });

  test('are of one site with the address of the marketplace, which Hosting serves', async () => {
    const cloud = await startWith({});
    const marketplaceUrl = cloud.hostingUrl.replace('127.0.0.1', 'decks.localhost');
    expect([cloud.marketplaceUrl, process.env['MARKETPLACE_URL']]).toEqual([marketplaceUrl, marketplaceUrl]);
    expect(process.env['VIEWER_URL']).toBe(cloud.hostingUrl);
    const seen = [marketplaceUrl, cloud.hostingUrl, marketplaceUrl.replace('decks', 'other.decks')].map(
      async (url) => (await requestLocally(`${url}/`)).status,
    );
    expect(await Promise.all(seen)).toEqual([200, 200, 421]);
    await cloud.close();
  });

  test('lead each window that opens a page of the site to one host, so that a session holds on all pages', async () => {
    const cloud = await startWith({});
    const { hostingUrl, marketplaceUrl } = cloud;
    const opened = async (url: string, headers: Record<string, string>, method = 'GET') => {
      const answer = await requestLocally(url, { headers: { ...navigation, ...headers }, method });
      return answer.headers.location ?? answer.status;
    };
    const { port } = new URL(hostingUrl);
    for (const host of [`127.0.0.1:${port}`, `localhost:${port}`])
      expect(await opened(`${hostingUrl}/docs?a=%2F&b`, { host })).toBe(`${marketplaceUrl}/docs?a=%2F&b`);
    expect(await opened(`${hostingUrl}//example.com/`, {})).toBe(`${marketplaceUrl}//example.com/`);
    expect(await opened(`${marketplaceUrl}/docs`, {})).toBe(200);
    expect(await opened(`${hostingUrl}/share/a?token=b`, {})).toBe(`${marketplaceUrl}/share/a?token=b`);
    // Frames, calls, forms, and browsers that do not find the host.
    expect(await opened(`${hostingUrl}/docs`, { 'sec-fetch-dest': 'iframe' })).toBe(200);
    expect(await opened(`${hostingUrl}/docs`, { 'sec-fetch-mode': 'cors', 'sec-fetch-dest': 'empty' })).toBe(200);
    expect(await opened(`${hostingUrl}/share/a`, {}, 'POST')).toBe(200);
    expect(await opened(`${hostingUrl}/docs`, { 'user-agent': `${webKit} Version/18.0 Safari/605.1.15` })).toBe(200);
    await cloud.close();
  });

  test('are off with the option: nothing listens, and links to the marketplace name 127.0.0.1', async () => {
    const { port, release } = await aTakenPort();
    const cloud = await startWith({ deckOrigin: false, ports: { decks: port, mail: 0 } });
    await release();
    expect([cloud.deckOrigin, cloud.marketplaceUrl]).toEqual([null, cloud.hostingUrl]);
    expect([process.env['DECK_ORIGIN'], process.env['MARKETPLACE_URL']]).toEqual(['', cloud.hostingUrl]);
    expect((await requestLocally(cloud.hostingUrl, { headers: { host: 'decks.localhost' } })).status).toBe(421);
    expect((await requestLocally(`${cloud.hostingUrl}/docs`, { headers: navigation })).status).toBe(200);
    await cloud.close();
  });

  const webKit = 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko)';
  const blink = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko)';
  test.each([
    ['Safari', `${webKit} Version/18.0 Safari/605.1.15`, 'undefined'],
    ['Chrome', `${blink} Chrome/142.0.0.0 Safari/537.36`, 'navigate'],
    ['a Chromium without a window', `${blink} HeadlessChrome/142.0.0.0 Safari/537.36`, 'navigate'],
    ['Firefox', 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0', 'navigate'],
  ])('the share page frames the deck for browsers that cannot open its local origin: %s', async (_, agent, mode) => {
    const headers = { ...navigation, 'user-agent': agent };
    const modes = [true, false].map(async (deckOrigin) => {
      const cloud = await startWith({ deckOrigin });
      const { text } = await requestLocally(`${cloud.marketplaceUrl}/share/a`, { headers });
      await cloud.close();
      return text;
    });
    expect(await Promise.all(modes)).toEqual([mode, 'navigate']);
  });
});

test('two parts with one port are refused by name', async () => {
  const ports = { ...freePorts, auth: 6000, mail: 6000 };
  const starting = startLocalCloud({ ephemeral: true, ports, loadFunctions: noFunctions });
  await expect(starting).rejects.toThrow('auth and mail have the same port, 6000');
});

test('when a part cannot start, the started parts are stopped, and the error names its port and the option', async () => {
  const dataDir = aFolder();
  const { port, release } = await aTakenPort();
  const options = { dataDir, ports: { ...freePorts, hosting: port }, loadFunctions: noFunctions };
  const taken = `Port ${port} is taken: hosting cannot listen there.`;
  const advice = `Choose another port: npm start -- --port hosting=${otherPort(port)}`;
  await expect(startLocalCloud(options)).rejects.toThrow(`${taken}\n${advice}`);
  await release();
  const cloud = await startLocalCloud(options);
  expect(cloud.hostingUrl).toBe(`http://127.0.0.1:${port}`);
  await cloud.close();
});

test('when the functions cannot be loaded, the start fails and the data folder is unlocked', async () => {
  const dataDir = aFolder();
  const broken = () => Promise.reject(new Error('does not load'));
  await expect(startLocalCloud({ dataDir, ports: freePorts, loadFunctions: broken })).rejects.toThrow('does not load');
  const cloud = await startLocalCloud({ dataDir, ports: freePorts, loadFunctions: noFunctions });
  await cloud.close();
});
