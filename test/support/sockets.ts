import { once } from 'node:events';
import { connect, type AddressInfo, type Server, type Socket } from 'node:net';

/** Lets a server listen at a free port of this machine. Returns the port. */
export async function listen(server: Server, host = '127.0.0.1'): Promise<number> {
  server.listen(0, host);
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

/** Connects a client with a server behind a proxy. Both connections close together, and errors do nothing else. */
export function upstreamOf(client: Socket, port: number, host = '127.0.0.1'): Socket {
  const upstream = connect(port, host);
  client.on('error', () => {}).on('close', () => upstream.destroy());
  return upstream.on('error', () => {}).on('close', () => client.destroy());
}
