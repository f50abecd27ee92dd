// The least work of a Node server of server-sent events: it keeps the answers in a Set, and writes each body that is
// posted to all of them as one event.
import { Buffer } from 'node:buffer';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { announce } from './announce.mjs';

const streams = new Set();

announce(
  createServer(async (request, response) => {
    if (request.method === 'POST') {
      const event = Buffer.from(`event: state\ndata: ${await text(request)}\n\n`);
      for (const stream of streams) stream.write(event);
      return response.end('{}');
    }
    response.writeHead(200, { 'Content-Type': 'text/event-stream' });
    response.write('event: state\ndata: {"sequence":0}\n\n');
    streams.add(response);
    response.once('close', () => streams.delete(response));
  }).listen(0, '127.0.0.1'),
);
