import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { close, listen } from './sockets';

export interface Received {
  method: string;
  headers: IncomingHttpHeaders;
  body: string;
}

/** A server of a customer that gets events. `answer` writes its answers; 204 when it does not. */
export async function startReceiver() {
  const received: Received[] = [];
  const receiver = { received, url: '', answer: (res: ServerResponse): void => void res.writeHead(204).end() };
  const server = createServer((req, res) => {
    void text(req).then((body) => {
      received.push({ method: req.method!, headers: req.headers, body });
      receiver.answer(res);
    });
  });
  receiver.url = `http://127.0.0.1:${await listen(server)}/hook`;
  return Object.assign(receiver, { close: () => close(server) });
}
export type Receiver = Awaited<ReturnType<typeof startReceiver>>;
