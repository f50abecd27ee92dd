import dns, { type LookupAddress } from 'node:dns';
import { postTo } from '../../functions/src/webhooks/post';
import { startReceiver, type Receiver } from '../support/receiver';

/** The requests that send events go where they may, and read what they may. */

let receiver: Receiver;
beforeAll(async () => (receiver = await startReceiver()));
afterEach(() => jest.restoreAllMocks());
afterAll(() => receiver.close());

const message = { headers: { 'webhook-id': 'x' }, body: '{"a":"ä"}' };

test('a redirect is an answer, and is not followed', async () => {
  receiver.answer = (res) => void res.writeHead(307, { location: receiver.url }).end('moved');
  expect(await postTo(receiver.url, message, true)).toEqual({ status: 307, answer: 'moved' });
  expect(receiver.received).toHaveLength(1);
  expect(receiver.received[0]).toMatchObject({ method: 'POST', body: message.body, headers: message.headers });
});

test('of an answer without an end, 64 KB are read and 1 KB is kept', async () => {
  let isClosed = false;
  receiver.answer = (res) => {
    res.writeHead(200).on('close', () => (isClosed = true));
    const write = () =>
      void (res.destroyed || (res.write('y'.repeat(16_384)) ? setImmediate(write) : res.once('drain', write)));
    write();
  };
  expect(await postTo(receiver.url, message, true)).toEqual({ status: 200, answer: 'y'.repeat(1024) });
  while (!isClosed) await new Promise(setImmediate);
});

test('a name with a private address is refused at the one lookup of the connection', async () => {
  const port = new URL(receiver.url).port;
  receiver.received.length = 0;
  for (const addresses of ['127.0.0.1', '93.184.216.34 10.0.0.1', '64:ff9b::7f00:1', '::ffff:127.0.0.1', '']) {
    const found = addresses
      .split(' ')
      .filter(Boolean)
      .map((address): LookupAddress => ({ address, family: address.includes(':') ? 6 : 4 }));
    const lookup = jest
      .spyOn(dns, 'lookup')
      .mockImplementation(((_name: string, _options: object, callback: (error: null, found: LookupAddress[]) => void) =>
        callback(null, found)) as never);
    const posted = await postTo('https://rebind.example:8443/hook', message, false);
    expect([addresses, posted]).toEqual([addresses, { status: null, answer: 'The host has a private address.' }]);
    expect(lookup).toHaveBeenCalledTimes(1);
    lookup.mockRestore();
  }
  for (const url of [`http://127.0.0.1:${port}/`, `https://127.0.0.1:${port}/`, 'https://[::1]/', 'https://localhost/'])
    expect((await postTo(url, message, false)).status).toBeNull();
  expect(receiver.received).toEqual([]);
});

test('a receiver that does not answer is told in words', async () => {
  const refused = { status: null, answer: 'The connection was refused.' };
  expect(await postTo('http://127.0.0.1:9/', message, true)).toEqual(refused);
  receiver.answer = (res) => void res.destroy();
  const closed = { status: null, answer: 'The connection was closed without an answer.' };
  expect(await postTo(receiver.url, message, true)).toEqual(closed);
});
