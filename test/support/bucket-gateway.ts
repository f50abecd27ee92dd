import { once } from 'node:events';
import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Holds, type HeldCalls } from './held-calls';

/** A call of the bucket: its method, and its address with the escapes of object names undone. */
export interface BucketCall {
  method: string;
  address: string;
}

/**
 * Where a call is held: `request` keeps it from the bucket until it is released; with `answer` the bucket has done the work, and
 * the caller does not know it yet.
 */
export type HeldSide = 'request' | 'answer';

/** A network in front of the bucket that can hold chosen calls. Every other call passes at once. */
export interface BucketGateway {
  url: string;
  /** Holds the calls that `isChosen` accepts: the next `count`, or the first one and all that follow it. */
  hold(side: HeldSide, isChosen: (call: BucketCall) => boolean, count?: number): HeldCalls;
  close(): Promise<void>;
}

export async function startBucketGateway(target: string): Promise<BucketGateway> {
  const { hostname, port } = new URL(target);
  const holds = { request: new Holds<BucketCall>(), answer: new Holds<BucketCall>() };

  const server = createServer((incoming, outgoing) => {
    pass(incoming, outgoing).catch(() => outgoing.destroy());
  });

  async function pass(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const call = { method: incoming.method!, address: decodeURIComponent(incoming.url!) };
    await holds.request.pass(call);
    // The caller has gone while its call was held.
    if (outgoing.destroyed) return;
    const { method, url: path, headers } = incoming;
    const onward = request({ hostname, port, method, path, headers });
    onward.on('error', () => outgoing.destroy());
    outgoing.on('close', () => onward.destroy());
    incoming.pipe(onward);
    const [answer] = (await once(onward, 'response')) as [IncomingMessage];
    await holds.answer.pass(call);
    outgoing.writeHead(answer.statusCode!, answer.headers);
    answer.pipe(outgoing);
  }

  server.listen(0, '127.0.0.1');
  await once(server, 'listening');

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    hold: (side, isChosen, count) => holds[side].hold(isChosen, count),
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
