import type { ReadableStream } from 'node:stream/web';

// The types of Preact declare the globals of browsers. The fetch of Node sends buffers and streams of Node, too.
declare global {
  type NodeRequestInit = Omit<RequestInit, 'body'> & {
    body?: BodyInit | Buffer | ReadableStream | null;
    duplex?: 'half';
  };
  function fetch(input: string | URL | Request, init?: NodeRequestInit): Promise<Response>;
}
