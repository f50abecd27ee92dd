import { version } from '../../../functions/package.json';
import { planCaps } from '../../../functions/src/policy/plans';
import { World } from '../../support/world';

const MB = 1024 * 1024;
let world: World;

beforeAll(async () => {
  world = await World.start({ platformLimits: true });
});
afterAll(() => world.stop());
afterEach(() => {
  process.env['TRUSTED_PROXY_HOPS'] = '1';
});

test('a client learns the addresses, the limits and the plans before it pushes, and may keep them for an hour', async () => {
  const { data, headers } = await world.call('getServiceInfo');
  expect(headers.get('cache-control')).toBe('public, max-age=3600');
  const { baseUrl, hostingUrl: viewerUrl, marketplaceUrl } = world.cloud;
  expect(data).toEqual({
    ...{ version, baseUrl, viewerUrl, marketplaceUrl, deckOrigins: true },
    client: { oldest: '0.1.0', download: `${viewerUrl}/deckhost.tgz` },
    limits: {
      ...{ requestBytes: 32 * MB, responseBytes: 10 * MB, pageBytes: 30 * MB, manifestBytes: 16 * MB },
      ...{ precheckHashes: 2000, uploadFiles: 200, uploadBytes: 31 * MB, directUploads: 500 },
      ...{ sessionSeconds: 3600, recipients: 20, keys: 20 },
    },
    plans: planCaps,
  });
});

test('a client learns whether decks have origins', async () => {
  const deckOrigin = process.env['DECK_ORIGIN']!;
  process.env['DECK_ORIGIN'] = '';
  const { data } = await world.call('getServiceInfo');
  process.env['DECK_ORIGIN'] = deckOrigin;
  expect(data['deckOrigins']).toBe(false);
});

describe('getClientAddress', () => {
  const seenWith = async (hops: string, forwardedFor: string) => {
    process.env['TRUSTED_PROXY_HOPS'] = hops;
    const { data, headers } = await world.call('getClientAddress', undefined, {
      headers: { 'x-forwarded-for': forwardedFor },
    });
    expect(headers.get('cache-control')).toBe('no-store');
    return data;
  };

  test('tells which entry of X-Forwarded-For counts as the address of the client', async () => {
    const forwardedFor = ['10.0.0.1', '203.0.113.7', '198.51.100.2'];
    const sent = forwardedFor.join(', ');
    expect(await seenWith('1', sent)).toEqual({ clientAddress: '198.51.100.2', forwardedFor, trustedProxyHops: 1 });
    expect(await seenWith('2', sent)).toEqual({ clientAddress: '203.0.113.7', forwardedFor, trustedProxyHops: 2 });
    expect(await seenWith('0', sent)).toEqual({ clientAddress: '127.0.0.1', forwardedFor, trustedProxyHops: 0 });
  });

  test('answers at most 20 entries, and 100 characters of each', async () => {
    const entries = Array.from({ length: 30 }, (_, i) => `${i}`.padStart(200, '0'));
    const { clientAddress, forwardedFor } = (await seenWith('1', entries.join(','))) as Record<string, string>;
    expect(forwardedFor).toEqual(entries.slice(-20).map((entry) => entry.slice(0, 100)));
    expect(clientAddress).toHaveLength(100);
  });
});
