import {
  Metadata,
  type sendUnaryData,
  Server,
  type ServerDuplexStream,
  type ServerUnaryCall,
  type ServerWritableStream,
  type UntypedServiceImplementation,
  logVerbosity,
  setLogVerbosity,
} from '@grpc/grpc-js';
import { type Call, Connections } from './connections';
import type { Engine } from './engine';
import { cancelled, invalidArgument, toStatus, unavailable } from './errors';
import { MAX_REQUEST_BYTES } from './limits';
import { type ListenRequest, ListenStream } from './listen';
import { type Methods, makeMethods } from './methods';
import type { Statistics } from './responses';
import { firestoreService, requestBytes } from './wire';

// Errors are returned to the caller. Without this, the library also prints them.
setLogVerbosity(logVerbosity.NONE);

type Streaming = ServerWritableStream<object, object>;

/** Reasons of aborted signals. A constant reason saves the exception that abort() creates without one. */
const givenUp = 'The client gave the call up.';
const closing = 'The server is closing.';

/** Serves an engine over gRPC on 127.0.0.1, counting its calls. */
export class RpcServer {
  private readonly server = new Server({
    // A larger request than the cloud's limit is received and then refused with the cloud's error.
    'grpc.max_receive_message_length': 8 * MAX_REQUEST_BYTES,
    'grpc.max_send_message_length': -1,
    'grpc.enable_channelz': 0,
  });
  private readonly connections = new Connections(this.server);
  private readonly inFlight = new Map<Promise<void>, AbortController>();
  private readonly listeners = new Set<ListenStream>();
  private isClosing = false;

  constructor(
    private readonly engine: Engine,
    private readonly statistics: Statistics,
  ) {
    const methods = makeMethods(engine, statistics);
    const service: UntypedServiceImplementation = {
      listen: (call: ServerDuplexStream<ListenRequest, object>) => this.listen(call),
    };
    for (const [name, method] of Object.entries(methods.unary)) {
      service[name] = (call: ServerUnaryCall<object, object>, callback: sendUnaryData<object>) =>
        this.unary(name, method, call, callback);
    }
    for (const [name, method] of Object.entries(methods.streaming)) {
      service[name] = (call: Streaming) => this.streaming(name, method, call);
    }
    const implemented = new Set(Object.keys(service));
    const offered = Object.entries(firestoreService).filter(([, { originalName }]) => implemented.has(originalName!));
    this.server.addService(Object.fromEntries(offered), service);
  }

  /** Resolves with the port. Rejects when the port is in use; the error names the port. */
  listenOn(port: number): Promise<number> {
    return this.connections.listen(port);
  }

  /** Ends every call and connection. */
  async close(): Promise<void> {
    this.isClosing = true;
    for (const listener of this.listeners) listener.close();
    for (const controller of this.inFlight.values()) controller.abort(closing);
    await Promise.all(this.inFlight.keys());
    this.server.forceShutdown();
    await this.connections.close();
  }

  private count(name: string): void {
    const method = name[0]!.toUpperCase() + name.slice(1);
    this.statistics.calls[method] = (this.statistics.calls[method] ?? 0) + 1;
  }

  private track(
    rpc: ServerUnaryCall<object, object> | Streaming,
    work: (call: Call & { signal: AbortSignal }) => Promise<void>,
  ): void {
    const controller = new AbortController();
    if (this.isClosing) controller.abort(closing);
    // The library reports the end of every call as cancelled. An abort costs an exception, so only a running call
    // aborts.
    rpc.once('cancelled', () => {
      if (this.inFlight.has(running)) controller.abort(givenUp);
    });
    const running = work({ signal: controller.signal, connection: this.connections.of(rpc.getPeer()) });
    this.inFlight.set(running, controller);
    void running.finally(() => this.inFlight.delete(running));
  }

  private unary(
    name: string,
    method: Methods['unary'][string],
    rpc: ServerUnaryCall<object, object>,
    callback: sendUnaryData<object>,
  ): void {
    this.count(name);
    this.track(rpc, async (call) => {
      try {
        this.check(rpc.request, call.signal);
        callback(null, await method(rpc.request as never, call));
      } catch (error) {
        // A commit ends its transaction. One that is refused before its writes are parsed has not ended it.
        if (name === 'commit') this.engine.transactions.endById((rpc.request as { transaction?: Buffer }).transaction);
        callback(toStatus(error));
      }
    });
  }

  private streaming(name: string, method: Methods['streaming'][string], rpc: Streaming): void {
    this.count(name);
    this.track(rpc, async (call) => {
      try {
        this.check(rpc.request, call.signal);
        await method(rpc.request as never, call, (response) => send(rpc, response, call.signal));
        rpc.end();
      } catch (error) {
        // Clients take an error before any headers for a lost connection and retry for seconds. After headers, they
        // take it for the answer.
        rpc.sendMetadata(new Metadata());
        rpc.emit('error', toStatus(error));
      }
    });
  }

  private check(request: object, signal: AbortSignal): void {
    if (signal.aborted) throw unavailable();
    if (requestBytes(request) <= MAX_REQUEST_BYTES) return;
    throw invalidArgument(`Request payload size exceeds the limit: ${MAX_REQUEST_BYTES} bytes.`);
  }

  private listen(call: ServerDuplexStream<ListenRequest, object>): void {
    this.count('listen');
    const stream = new ListenStream(this.engine, call, (count) => (this.statistics.documentReads += count));
    this.listeners.add(stream);
    const close = () => {
      stream.close();
      this.listeners.delete(stream);
    };
    call.on('data', (request: ListenRequest) => stream.receive(request));
    call.on('cancelled', close);
    call.on('error', close);
    call.on('end', () => {
      close();
      call.end();
    });
  }
}

/** Writes a response and waits for a slow client, so that a large result is not buffered in memory. */
async function send(call: Streaming, response: object, signal: AbortSignal): Promise<void> {
  if (signal.aborted) throw cancelled();
  if (call.write(response)) return;
  await new Promise<void>((resolve, reject) => {
    const onAbort = () => reject(cancelled());
    signal.addEventListener('abort', onAbort, { once: true });
    call.once('drain', () => {
      signal.removeEventListener('abort', onAbort);
      resolve();
    });
  });
}
