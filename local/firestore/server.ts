import {
  Metadata,
  type sendUnaryData,
  Server,
  ServerCredentials,
  type ServerDuplexStream,
  type ServerUnaryCall,
  type ServerWritableStream,
  type UntypedServiceImplementation,
  logVerbosity,
  setLogVerbosity,
} from '@grpc/grpc-js';
import { PortUnavailable } from '../http/serve';
import type { Engine } from './engine';
import { cancelled, invalidArgument, toStatus, unavailable } from './errors';
import { MAX_REQUEST_BYTES } from './limits';
import { type ListenRequest, ListenStream } from './listen';
import { type Methods, makeMethods, type Statistics } from './methods';
import { firestoreService, requestBytes } from './wire';

// Errors are returned to the caller. Without this, the library also prints them.
setLogVerbosity(logVerbosity.NONE);

type Streaming = ServerWritableStream<object, object>;

/** Serves an engine over gRPC on 127.0.0.1, counting its calls. */
export class RpcServer {
  private readonly server = new Server({
    // A larger request than the cloud's limit is received and then refused with the cloud's error.
    'grpc.max_receive_message_length': 8 * MAX_REQUEST_BYTES,
    'grpc.max_send_message_length': -1,
  });
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
    return new Promise((resolve, reject) => {
      this.server.bindAsync(`127.0.0.1:${port}`, ServerCredentials.createInsecure(), (error, bound) => {
        if (error) reject(new PortUnavailable(port, 'Firestore', error));
        else resolve(bound);
      });
    });
  }

  /** Ends every call and connection. */
  async close(): Promise<void> {
    this.isClosing = true;
    for (const listener of this.listeners) listener.close();
    for (const controller of this.inFlight.values()) controller.abort();
    await Promise.all(this.inFlight.keys());
    this.server.forceShutdown();
  }

  private count(name: string): void {
    const method = name[0]!.toUpperCase() + name.slice(1);
    this.statistics.calls[method] = (this.statistics.calls[method] ?? 0) + 1;
  }

  private track(call: ServerUnaryCall<object, object> | Streaming, work: (signal: AbortSignal) => Promise<void>): void {
    const controller = new AbortController();
    if (this.isClosing) controller.abort();
    call.on('cancelled', () => controller.abort());
    const running = work(controller.signal);
    this.inFlight.set(running, controller);
    void running.finally(() => this.inFlight.delete(running));
  }

  private unary(
    name: string,
    method: Methods['unary'][string],
    call: ServerUnaryCall<object, object>,
    callback: sendUnaryData<object>,
  ): void {
    this.count(name);
    this.track(call, async (signal) => {
      try {
        this.check(call.request, signal);
        callback(null, await method(call.request as never, signal));
      } catch (error) {
        callback(toStatus(error));
      }
    });
  }

  private streaming(name: string, method: Methods['streaming'][string], call: Streaming): void {
    this.count(name);
    this.track(call, async (signal) => {
      try {
        this.check(call.request, signal);
        await method(call.request as never, signal, (response) => send(call, response, signal));
        call.end();
      } catch (error) {
        // Clients take an error before any headers for a lost connection and retry for seconds. After headers, they
        // take it for the answer.
        call.sendMetadata(new Metadata());
        call.emit('error', toStatus(error));
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
