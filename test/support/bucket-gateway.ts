import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { Holds, type HeldCalls } from './held-calls';
import { close, listen, passOn } from './sockets';

/** A request to the bucket. `address` is its URL with decoded object names. */
type BucketCall = { method: string; address: string };

/**
 * Where a call is held. `request`: the bucket gets the call when it is released. `answer`: the bucket has done the work
 * and the caller gets the answer when it is released.
 */
export type HeldSide = 'request' | 'answer';

/** A proxy in front of the bucket that can hold chosen calls. It passes every other call at once. */
export interface BucketGateway {
  url: string;
  /** Whether the bucket gets calls without their Range, and answers the whole object. */
  ignoresRanges: boolean;
  /** Holds the calls that `isChosen` accepts: the next `count` calls, or all of them without `count`. */
  hold(side: HeldSide, isChosen: (call: BucketCall) => boolean, count?: number): HeldCalls;
  /** Resolves when the answer of every call is complete or its connection is closed. */
  idle(): Promise<void>;
  close(): Promise<void>;
}

export async function startBucketGateway(target: string): Promise<BucketGateway> {
  const holds = { request: new Holds<BucketCall>(), answer: new Holds<BucketCall>() };
  const open = new Set<ServerResponse>();

  // A server that closes idle connections could close one at the moment of its next call.
  const server = createServer({ keepAliveTimeout: 0 }, (incoming, outgoing) => {
    pass(incoming, outgoing).catch(() => outgoing.destroy());
  });

  async function pass(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const call = { method: incoming.method!, address: decodeURIComponent(incoming.url!) };
    open.add(outgoing);
    outgoing.on('close', () => open.delete(outgoing));
    await holds.request.pass(call);
    // The caller closed its connection while the call was held.
    if (outgoing.destroyed) return;
    if (gateway.ignoresRanges) delete incoming.headers.range;
    const answer = await new Promise<IncomingMessage>((resolve) => passOn(target, incoming, outgoing, resolve));
    await holds.answer.pass(call);
    outgoing.writeHead(answer.statusCode!, answer.headers);
    answer.pipe(outgoing);
  }

  const gateway: BucketGateway = {
    ignoresRanges: false,
    url: `http://127.0.0.1:${await listen(server)}`,
    hold: (side, isChosen, count) => holds[side].hold(isChosen, count),
    idle: async () => {
      while (open.size > 0) await once([...open][0]!, 'close');
    },
    close: () => close(server),
  };
  return gateway;
}
