import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { judge } from '../../deploy/client-address';
import { callService } from '../../deploy/service';
import { passSeconds } from '../support/clock';
import { changesOf, deploying } from './place';
import { PROJECT } from './stand-in';

const made = deploying();
const { anEmptyProject } = made;

it('gives up when the service does not answer', async () => {
  const place = await anEmptyProject();
  made.proxy.refusals = 30;
  expect(await place.deploy()).toBe(1);
  expect(place.printed.join('\n')).toMatch(/✗ check .*answers 403[\s\S]*must allow it for this project/);
  expect(await place.deploy({ from: 'check' })).toBe(0);
});

it('names the address of an answer that is cut off', async () => {
  const server = createServer((_, response) => {
    response.writeHead(200, { 'content-length': '100' });
    response.write('{', () => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  await expect(callService(url)).rejects.toThrow(`${url} does not answer: `);
  await new Promise((resolve) => server.close(resolve));
});

describe('the check of the client address', () => {
  const google = '192.0.2.1';

  it.each<[string, string[], number, string | undefined, RegExp]>([
    [
      'is right',
      ['198.51.100.9'],
      1,
      '198.51.100.9',
      /✓ client-address +the functions see 198\.51\.100\.9, the address of this/,
    ],
    [
      'is right and cannot be confirmed',
      ['198.51.100.9'],
      1,
      undefined,
      /✓ client-address .*which nothing else confirms/,
    ],
    [
      'sees a proxy',
      ['198.51.100.9', google],
      1,
      '198.51.100.9',
      /see 192\.0\.2\.1 instead of 198\.51\.100\.9: TRUSTED_PROXY_HOPS is 1 and must be 2/,
    ],
    [
      'believes an invented address',
      ['198.51.100.9'],
      2,
      undefined,
      /believe an address that a client invents: TRUSTED_PROXY_HOPS is 2 and must be 1/,
    ],
    ['sees no proxy at all', [], 1, '198.51.100.9', /TRUSTED_PROXY_HOPS is 1 and must be 0/],
  ])('%s', async (_what, hops, trusted, publicAddress, told) => {
    const place = await anEmptyProject({ lookUpAddress: () => Promise.resolve(publicAddress) });
    made.proxy.hops = hops;
    const status = await place.deploy({ proxyHops: trusted });
    expect(place.printed.join('\n')).toMatch(told);
    expect(status).toBe(told.source.startsWith('✓') ? 0 : 1);
    if (status === 0) return;
    const [, right] = /must be (\d)/.exec(place.printed.join('\n'))!;
    expect(place.printed.join('\n')).toContain(`npm run deploy -- --project ${PROJECT} --proxy-hops ${right}`);
    expect(place.printed.join('\n')).toContain(`add the line TRUSTED_PROXY_HOPS=${right} to the variable SETTINGS`);
    expect(await place.deploy({ proxyHops: Number(right) })).toBe(0);
  });

  it('counts all entries when a proxy drops the invented one', () => {
    const seen = { clientAddress: '198.51.100.9', forwardedFor: ['198.51.100.9'], trustedProxyHops: 1 };
    expect(judge(seen, '203.0.113.77', '::ffff:198.51.100.9')).toMatchObject({
      hops: 1,
      isRight: true,
      isConfirmed: true,
    });
    expect(judge({ ...seen, trustedProxyHops: 2 }, '203.0.113.77', undefined)).toMatchObject({
      hops: 1,
      isRight: false,
    });
  });

  it('sets the right number of proxies and deploys again when the operator agrees', async () => {
    const questions: string[] = [];
    const place = await anEmptyProject({
      ask: (question) => {
        questions.push(question);
        return Promise.resolve(question.includes('[y/N]') ? 'y' : '');
      },
    });
    made.proxy.hops = ['198.51.100.9', google];
    expect(await place.deploy()).toBe(0);
    expect(questions[0]).toContain('Set TRUSTED_PROXY_HOPS to 2 and deploy the functions again?');
    expect(changesOf(place).at(-1)).toBe(`firebase deploy --only=functions --project=${PROJECT} --non-interactive`);
    expect(readFileSync(join(place.around.root, 'functions', `.env.${PROJECT}`), 'utf8')).toContain(
      'TRUSTED_PROXY_HOPS=2\n',
    );
  });
});

describe('the test mail', () => {
  it('signs a new operator up, logs a known one in, and leaves no key', async () => {
    const operator = 'operator@example.org';
    const place = await anEmptyProject({
      ask: async (question) => (question.includes('6-digit') ? made.world.mailedCode(operator) : ''),
    });
    expect(await place.deploy({ operator })).toBe(0);
    expect(place.printed.join('\n')).toMatch(/✓ sign-up +operator@example.org has an account now/);
    const keys = await made.world.database.collection('apiKeys').get();
    expect(keys.docs.map((each) => each.data()['status'] as string)).toEqual(['revoked']);

    passSeconds(60);
    expect(await place.deploy({ operator })).toBe(0);
    expect(place.printed.join('\n')).toMatch(/✓ sign-up +operator@example.org can log in/);

    const silent = await anEmptyProject();
    expect(await silent.deploy({ operator: 'other@example.org', only: 'sign-up' })).toBe(0);
    // The service sends another code after 30 seconds.
    const print = silent.around.print;
    silent.around.print = (line) => {
      print(line);
      if (line.includes('a moment ago')) passSeconds(60);
    };
    expect(await silent.deploy({ operator: 'other@example.org', only: 'sign-up' })).toBe(0);
    expect(silent.printed.join('\n')).toContain('… a code was sent to other@example.org a moment ago');
    expect(silent.printed.join('\n')).toContain('a code is on its way to other@example.org');
    expect(await made.world.mailedCode('other@example.org')).toMatch(/^\d{6}$/);
  });
});
