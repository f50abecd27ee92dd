import { once } from 'node:events';
import { IncomingMessage } from 'node:http';
import { connect, createServer, Socket } from 'node:net';
import { BodyClock } from '../../../functions/src/http/body-clock';
import { listen } from '../../support/sockets';

const before = { ...process.env };
beforeAll(() => (process.env['BODY_TIMEOUT_MS'] = '500'));
afterAll(() => (process.env = before));

test('bytes that arrive while the process cannot read are not late, and use up at most 250 ms', async () => {
  const server = createServer();
  const client = connect(await listen(server), '127.0.0.1');
  const [connected] = await Promise.all([once(server, 'connection'), once(client, 'connect')]);
  const connection = connected[0] as Socket;
  const clock = BodyClock.of(new IncomingMessage(connection));
  const outcome = new Promise<string>((resolve) => {
    const received = clock.wait(() => resolve('late'));
    connection.once('data', ({ length }: Buffer) => {
      received(length);
      resolve('in time');
    });
  });
  client.write('x');
  // The process handles no event for longer than the whole time of the body.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 600);
  expect([await outcome, clock.leftMs >= 250]).toEqual(['in time', true]);
  client.destroy();
  server.close();
});

test('a body of 30 MB has more time than one of 3 bytes', () => {
  const time = (bytes: number) => {
    const clock = BodyClock.of(new IncomingMessage(new Socket()));
    clock.wait(() => {})(bytes);
    return clock.leftMs;
  };
  expect(time(3)).toBeLessThan(501);
  // 16 KB add one second.
  expect(time(30 * 1024 * 1024) - time(0)).toBeGreaterThan(1_800_000);
});
