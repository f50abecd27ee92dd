import { existsSync } from 'node:fs';
import { DEFAULT_BASE_URL } from '../../../cli/src/base-url';
import { startLocalCloud, type LocalCloudOptions } from '../../../local';
import { UsageError } from '../../../local/command-line';
import { HELP, parseOptions } from '../../../local/options';
import { otherPort, freePorts } from '../../../local/ports';
import { readableConsole } from '../../../local/readable-log';
import { addressForClient } from '../../../local/welcome';
import { navigation, requestLocally } from '../../support/deck-origin';
import { aFolder } from '../folders';
import { plain } from '../host/functions';
import { aTakenPort } from './command';

test.each([
  [['extra'], 'extra'],
  [['--project'], '--project'],
  [['--project', 'No Such'], 'No Such'],
  [['--data', ''], '--data'],
  [['--json=yes'], '--json'],
  [['--check', '--ephemeral'], '--check'],
  [['--port', 'web=5011'], 'functions, hosting, decks, firestore, storage, auth, mail, tasks'],
  [['--project', 'demo-a', '--project', 'demo-b'], '--project is given twice'],
  [['--port'], '--port'],
  [['--port', '5011'], 'functions, hosting, decks, firestore, storage, auth, mail, tasks'],
  [['--port', 'toString=5011'], '"toString" is not a part'],
  [['--port', 'functions'], 'functions=5051'],
  [['--port', 'functions='], 'functions=5051'],
  [['--port', 'functions=5e3'], 'functions=5051'],
  [['--port=functions=-1'], 'functions=5051'],
  [['--port', 'mail=65536'], 'from 0 to 65535'],
  [['--port', 'decks=x'], 'decks=5052'],
  [['--port', 'mail=0', '--port=mail=0'], '--port mail is given twice'],
  [['--port', 'mail=6000', '--port', 'decks=6000'], 'decks and mail have the same port, 6000'],
  [['--port', 'mail=5002'], 'decks and mail have the same port, 5002'],
  [['--port', 'mail=8080'], 'firestore and mail have the same port, 8080'],
  [['--port', 'functions=5002', '--port', 'decks=5002'], 'functions and decks'],
])('a value that is not valid (%j) is named', (args, named) => {
  const parse = () => parseOptions(args);
  expect(parse).toThrow(UsageError);
  expect(parse).toThrow(named);
});

test('the help explains every option in lines of 120 characters at most', () => {
  const options = ['project', 'data', 'port', 'ephemeral', 'no-deck-origin', 'no-schedules', 'no-index-check'];
  for (const option of [...options, 'platform-limits', 'json', 'check']) expect(HELP).toContain(`--${option} `);
  for (const each of ['functions=5001', 'hosting=5000', 'decks=5002']) expect(HELP).toContain(each);
  expect(HELP.split('\n').filter((line) => line.length > 120)).toEqual([]);
});

test('ports are parsed in both forms; other parts keep their default, and every part may have a free port', () => {
  const { ports, schedules } = parseOptions(['--port=functions=5011', '--port', 'decks=5003', '--port', 'mail=0']);
  expect([ports, schedules]).toEqual([{ functions: 5011, decks: 5003, mail: 0 }, true]);
  expect(parseOptions(['--port', 'mail=5002', '--no-deck-origin'])).toMatchObject({ deckOrigin: false });
  expect(parseOptions(['--port', 'auth=0', '--port', 'storage=0']).ports).toEqual({ auth: 0, storage: 0 });
  const other = parseOptions(['--ephemeral', '--port', 'mail=8080', '--no-schedules']);
  expect(other).toMatchObject({ ports: { mail: 8080 }, schedules: false });
});

test.each([
  [80, 1054],
  [8080, 8130],
  // 9199 is the port of Storage, and 5002 that of deck origins.
  [9149, 9249],
  [4952, 5052],
  [65_535, 1059],
])('instead of the port %d, %d is suggested: free by default, and every user may listen there', (port, other) => {
  expect(otherPort(port)).toBe(other);
});

test("the welcome text names the address for the client unless it is the client's default", () => {
  expect(addressForClient(DEFAULT_BASE_URL)).toBe('');
  const elsewhere = DEFAULT_BASE_URL.replace('us-central1', 'europe-west1');
  expect(addressForClient(elsewhere)).toBe(`\n    export DECK_BASE_URL=${elsewhere}`);
});

test('the log for people shows what a scheduled run did, and omits runs without work', () => {
  const line = (severity: string, counts: object) =>
    JSON.stringify({ severity, message: 'A job has run.', function: 'finishDeletions', durationMs: 12, ...counts });
  const written: string[] = [];
  const write = jest.spyOn(process.stderr, 'write').mockImplementation((text) => written.push(String(text)) > 0);
  const log = readableConsole();
  log.debug(line('DEBUG', { finished: 0, failed: 0 }));
  log.info(line('INFO', { finished: 2, failed: 1 }));
  log.debug('Any other text');
  // Requests that ended together.
  const answered = (message: string) => JSON.stringify({ severity: 'INFO', message, durationMs: 3, httpRequest: {} });
  log.info(`${answered('200 GET a')}\n${answered('304 GET b')}`);
  log.info('{ a: 1,\n  b: 2 }');
  write.mockRestore();
  expect(written).toEqual([
    'info finishDeletions A job has run. 12 ms: finished 2, failed 1\n',
    'Any other text\n',
    '200 GET a 3 ms\n304 GET b 3 ms\n',
    '{ a: 1,\n  b: 2 }\n',
  ]);
});

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
  test('are framed by the share page for browsers that cannot open them locally', async () => {
    const agents: [agent: string, mode: string][] = [
      [`${webKit} Version/18.0 Safari/605.1.15`, 'undefined'],
      [`${blink} Chrome/142.0.0.0 Safari/537.36`, 'navigate'],
      [`${blink} HeadlessChrome/142.0.0.0 Safari/537.36`, 'navigate'],
      ['Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0', 'navigate'],
    ];
    for (const deckOrigin of [true, false]) {
      const cloud = await startWith({ deckOrigin });
      for (const [agent, mode] of agents) {
        const headers = { ...navigation, 'user-agent': agent };
        const { text } = await requestLocally(`${cloud.marketplaceUrl}/share/a`, { headers });
        expect([agent, text]).toEqual([agent, deckOrigin ? mode : 'navigate']);
      }
      await cloud.close();
    }
  });
});

test('two parts with one port are refused by name', async () => {
  const ports = { ...freePorts, auth: 6000, mail: 6000 };
  const starting = startLocalCloud({ ephemeral: true, ports, loadFunctions: noFunctions });
  await expect(starting).rejects.toThrow('auth and mail have the same port, 6000');
});

test('when a part or the functions cannot start, the started parts are stopped, and the error says why', async () => {
  const { port, release } = await aTakenPort();
  const options = { dataDir: aFolder(), ports: { ...freePorts, hosting: port }, loadFunctions: noFunctions };
  const taken = `Port ${port} is taken: hosting cannot listen there.`;
  const advice = `Choose another port: npm start -- --port hosting=${otherPort(port)}`;
  await expect(startLocalCloud(options)).rejects.toThrow(`${taken}\n${advice}`);
  await release();
  const broken = () => Promise.reject(new Error('does not load'));
  await expect(startLocalCloud({ ...options, loadFunctions: broken })).rejects.toThrow('does not load');
  const cloud = await startLocalCloud(options);
  expect(cloud.hostingUrl).toBe(`http://127.0.0.1:${port}`);
  await cloud.close();
});
