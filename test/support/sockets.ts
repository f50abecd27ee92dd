import { once } from 'node:events';
import { request, type IncomingMessage, type Server as HttpServer, type ServerResponse } from 'node:http';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/** Lets a server listen at a free port of this machine. Returns the port. */
export async function listen(server: Server, host = '127.0.0.1'): Promise<number> {
  server.listen(0, host);
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

/** A port that nothing listens at. */
export async function freePort(): Promise<number> {
  const probe = createServer();
  const port = await listen(probe);
  probe.close();
  await once(probe, 'close');
  return port;
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
