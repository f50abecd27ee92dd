/** A request that can be sent again: each attempt reads the body from its start. */
export interface Outgoing {
  url: URL;
  method: 'GET' | 'POST' | 'PUT';
  headers: Record<string, string | number>;
  body?: Body;
  /**
   * Called with the number of bytes of the body that this attempt has sent. A browser counts what left the page, Node
   * what was read.
   */
  onSent?: ((bytes: number) => void) | undefined;
  /** The most bytes that the answer may have. */
  maxBytes: number;
  /**
   * Takes the bytes of an answer with the status 200, which are then not in `Incoming`. The next ones are read when it
   * has resolved. A browser calls it once, with all bytes.
   */
  onReceived?: ((bytes: Uint8Array) => void | Promise<void>) | undefined;
  signal?: AbortSignal | undefined;
}

/** Bytes, or a function that opens a new stream of them. */
export type Body = Uint8Array | (() => AsyncIterable<Uint8Array>);

/** A whole answer, whatever its status. */
export interface Incoming {
  status: number;
  /** By their names in lower case. */
  headers: Readonly<Record<string, string | undefined>>;
  bytes: Uint8Array;
}

/** Sends the requests of a client: over `node:http` and `node:https` in Node, with XMLHttpRequest in browsers. */
export interface Transport {
  /**
   * Sends one request. Rejects with the error of the connection, whose `code` is a code of Node such as `ECONNRESET`,
   * or one of `BrowserTransport`, or with the error of the body. An answer that exceeds `maxBytes` is not read to its
   * end: it rejects with a `Failure`.
   */
  exchange(outgoing: Outgoing): Promise<Incoming>;
  /** The most bytes of a file that one request to the bucket may have. Default: the whole file. */
  readonly maxPieceBytes?: number;
  /** Closes the idle connections. */
  close(): void;
}
