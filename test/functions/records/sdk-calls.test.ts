import { setTimeout as pause } from 'node:timers/promises';
import { Client, credentials, Server, ServerCredentials, status, type ServiceError } from '@grpc/grpc-js';
import { runIn } from '../../../functions/src/context';
import { sdkSettings } from '../../../functions/src/records/sdk-calls';
import { rawMethod } from '../../support/lossy-firestore';

/** The Admin SDK's client repeats a call that failed, with the same message. */

const { path, requestSerialize: asIs } = rawMethod('Commit', false);
/** The calls that came to the server. */
let received = 0;
const server = new Server();
let client: Client;

beforeAll(async () => {
  server.addService(
    { commit: rawMethod('Commit', false) },
    {
      commit: (_call: unknown, reply: (error: object) => void) => {
        received++;
        reply({ code: status.UNAVAILABLE });
      },
    },
  );
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, bound) =>
      error ? reject(error) : resolve(bound),
    );
  });
  const { 'grpc.callInvocationTransformer': transform } = sdkSettings(() => undefined);
  client = new Client(`127.0.0.1:${port}`, credentials.createInsecure(), {
    callInvocationTransformer: transform as never,
  });
});
afterAll(() => {
  client.close();
  server.forceShutdown();
});

const commit = (message: Buffer) =>
  new Promise<status | undefined>((resolve) => {
    client.makeUnaryRequest(
      path,
      asIs,
      (bytes) => bytes,
      message,
      (error: ServiceError | null) => resolve(error?.code),
    );
  });

test('a call is not sent again when its time is over, and the library does not repeat it', async () => {
  const message = Buffer.of();
  const endsAt = performance.now() + 1000;
  const codes = await runIn({ trail: undefined, endsAt }, async () => {
    const inTime = await commit(message);
    while (performance.now() <= endsAt + 1) await pause(10);
    return [inTime, await commit(message)];
  });
  // The connection keeps the order of its calls.
  codes.push(await commit(Buffer.of()));
  expect([codes, received]).toEqual([[status.UNAVAILABLE, status.CANCELLED, status.UNAVAILABLE], 2]);
});
