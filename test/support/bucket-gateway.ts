import { once } from 'node:events';
import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

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

export interface HeldCalls {
  /** Resolves when the calls are held. Rejects when `pending` is answered before: then the call under test never reached the bucket. */
  until(pending: Promise<unknown>): Promise<void>;
  /** Lets the held calls go on, and holds no further call. */
  release(): void;
}

/** A network in front of the bucket that can hold chosen calls. Every other call passes at once. */
export interface BucketGateway {
  url: string;
  /** Holds the calls that `isChosen` accepts: the next `count`, or the first one and all that follow it. */
  hold(side: HeldSide, isChosen: (call: BucketCall) => boolean, count?: number): HeldCalls;
  close(): Promise<void>;
}

export async function startBucketGateway(target: string): Promise<BucketGateway> {
  const { hostname, port } = new URL(target);
  const holds = new Set<{ side: HeldSide; take: (call: BucketCall) => Promise<void> | undefined }>();

  const server = createServer((incoming, outgoing) => {
    pass(incoming, outgoing).catch(() => outgoing.destroy());
  });

  async function pass(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const call = { method: incoming.method!, address: decodeURIComponent(incoming.url!) };
    const held = { request: undefined, answer: undefined } as Record<HeldSide, Promise<void> | undefined>;
    for (const { side, take } of holds) held[side] ??= take(call);
    await held.request;
    const { method, url: path, headers } = incoming;
    const onward = request({ hostname, port, method, path, headers });
    onward.on('error', () => outgoing.destroy());
    outgoing.on('close', () => onward.destroy());
    incoming.pipe(onward);
    const [answer] = (await once(onward, 'response')) as [IncomingMessage];
    await held.answer;
    outgoing.writeHead(answer.statusCode!, answer.headers);
    answer.pipe(outgoing);
  }

  server.listen(0, '127.0.0.1');
  await once(server, 'listening');

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    hold(side, isChosen, count) {
      const [reached, release] = [signal(), signal()];
      let taken = 0;
      const take = (call: BucketCall) => {
        if (taken === count || !isChosen(call)) return undefined;
        if (++taken === (count ?? 1)) reached.give();
        return release.given;
      };
      const hold = { side, take };
      holds.add(hold);
      const answered = () => Promise.reject(new Error('The call was answered before the bucket was asked.'));
      return {
        until: (pending) => Promise.race([reached.given, pending.then(answered)]),
        release: () => {
          holds.delete(hold);
          release.give();
        },
      };
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function signal(): { given: Promise<void>; give: () => void } {
  let give!: () => void;
  const given = new Promise<void>((resolve) => (give = resolve));
  return { given, give };
}
