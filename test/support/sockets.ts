import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { request, type IncomingMessage, type Server as HttpServer, type ServerResponse } from 'node:http';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/** Lets a server listen at a free port of this machine. Returns the port. */
export async function listen(server: Server, host = '127.0.0.1'): Promise<number> {
  server.listen(0, host);
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

/**
 * A port for a program that cannot choose one itself: nothing listens at it, and the system gives it to no server that
 * asks for any port. Those begin at 32 768 or above.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(10_000, 32_000);
    const probe = createServer().listen(port, '127.0.0.1');
    const isFree = await once(probe, 'listening').then(
      () => true,
      () => false,
    );
    if (!isFree) continue;
    probe.close();
    await once(probe, 'close');
    return port;
  }
}

/** Ends a server and its connections. */
export async function close(server: HttpServer): Promise<void> {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
}

/** Sends a request on to another server, with its headers as they are now. Both requests end together. */
export function passOn(
  target: string,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  onAnswer: (answer: IncomingMessage) => void,
): void {
  const { hostname, port } = new URL(target);
  const { method, url: path, headers } = incoming;
  const onward = request({ hostname, port, method, path, headers }, onAnswer);
  onward.on('error', () => outgoing.destroy());
  outgoing.on('close', () => onward.destroy());
  incoming.pipe(onward);
}

/** Connects a client with a server behind a proxy. Both connections close together, and errors do nothing else. */
export function upstreamOf(client: Socket, port: number, host = '127.0.0.1'): Socket {
  const upstream = connect(port, host);
  client.on('error', () => {}).on('close', () => upstream.destroy());
  return upstream.on('error', () => {}).on('close', () => client.destroy());
}
