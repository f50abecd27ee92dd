import type { Server as GrpcServer } from '@grpc/grpc-js';
import { ServerCredentials } from '@grpc/grpc-js';
import { createServer, type Socket } from 'node:net';
import { listenError } from '../http/serve';

/** A connection of a client. `closedAt` (in the time of performance.now) is absent while the connection is open. */
export interface Connection {
  closedAt?: number;
}

/** One call: `signal` aborts when the client gives the call up before its answer is complete. */
export interface Call {
  signal?: AbortSignal;
  connection?: Connection;
}

/** The listening socket of a gRPC server. It knows which connections of clients are open. */
export class Connections {
  private readonly open = new Map<string, Connection>();
  private readonly sockets = new Set<Socket>();
  private readonly listener;

  constructor(server: GrpcServer) {
    const injector = server.createConnectionInjector(ServerCredentials.createInsecure());
    this.listener = createServer((socket) => {
      const peer = `${socket.remoteAddress}:${socket.remotePort}`;
      const connection: Connection = {};
      this.open.set(peer, connection);
      this.sockets.add(socket);
      socket.once('close', () => {
        connection.closedAt = performance.now();
        this.sockets.delete(socket);
        if (this.open.get(peer) === connection) this.open.delete(peer);
      });
      injector.injectConnection(socket);
    });
  }

  /** The connection of a call, by the address that the call's getPeer() gives. */
  of(peer: string): Connection {
    return this.open.get(peer) ?? { closedAt: performance.now() };
  }

  /** Resolves with the port. Rejects when the port is in use; the error names the port. */
  listen(port: number): Promise<number> {
    return new Promise((resolve, reject) => {
      this.listener.once('error', (error) => reject(listenError(port, 'Firestore', error)));
      this.listener.listen(port, '127.0.0.1', () => resolve((this.listener.address() as { port: number }).port));
    });
  }

  /** Closes every connection and stops listening. */
  async close(): Promise<void> {
    const closed = this.listener.listening && new Promise((resolve) => this.listener.close(resolve));
    for (const socket of this.sockets) socket.destroy();
    await closed;
  }
}
