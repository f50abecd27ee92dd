import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { close, listen } from './sockets';
import { world } from './world';

/** What the gateway does with a send call: pass it on, answer with an error, or never answer. */
type Behaviour =
  | { do: 'pass' }
  | { do: 'answer'; status: number; name: string; onAnswer?: () => void }
  /** `reached`: the provider got the call before the connection hung. */
  | { do: 'hang'; reached: boolean };

/** The answers of a provider that fails as often as the functions try. */
export const failing = (status: number, name: string): Behaviour[] =>
  Array.from({ length: 3 }, () => ({ do: 'answer', status, name }));

/** A proxy in front of the mail server that can fail. */
export interface MailGateway {
  url: string;
  /** The behaviours of the next calls, in order. All later calls pass. */
  plan(...behaviours: Behaviour[]): void;
  /** The send calls so far, with their mails and their idempotency keys. */
  calls: { key: string | undefined; validation: string | undefined; mails: Record<string, unknown>[] }[];
  /** Resolves when a call hangs. */
  hanging(): Promise<void>;
  /** Closes the connections of hanging calls. */
  cut(): void;
  /** Closes hanging connections and clears the plan and the list of calls, before the next test. */
  reset(): void;
  close(): Promise<void>;
}

export async function startMailGateway(target: string): Promise<MailGateway> {
  const planned: Behaviour[] = [];
  const calls: MailGateway['calls'] = [];
  const hung = new Set<ServerResponse>();
  let onHang = () => {};

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks);
    const headers = request.headers as Record<string, string | undefined>;
    const behaviour: Behaviour = planned.shift() ?? { do: 'pass' };
    const mails = [JSON.parse(body.toString())].flat();
    calls.push({ key: headers['idempotency-key'], validation: headers['x-batch-validation'], mails });
    const answer = (status: number, text: string) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(text);
    if (behaviour.do === 'answer') {
      const { status, name, onAnswer } = behaviour;
      onAnswer?.();
      answer(status, JSON.stringify({ statusCode: status, name, message: 'as planned' }));
      return;
    }
    if (behaviour.do === 'pass' || behaviour.reached) {
      const kept = ['authorization', 'content-type', 'idempotency-key', 'x-batch-validation'];
      const passed = kept.flatMap((name) => (headers[name] === undefined ? [] : [[name, headers[name]]]));
      const real = await fetch(target + request.url, { method: 'POST', headers: passed as [string, string][], body });
      const text = await real.text();
      if (behaviour.do === 'pass') return void answer(real.status, text);
    }
    hung.add(response);
    response.on('close', () => hung.delete(response));
    onHang();
  }

  // A server that closes idle connections could close one at the moment of its next call.
  const server = createServer({ keepAliveTimeout: 0 }, (request, response) => {
    handle(request, response).catch(() => response.destroy());
  });
  const cut = () => {
    for (const response of hung) response.destroy();
    hung.clear();
  };
  return {
    url: `http://127.0.0.1:${await listen(server)}`,
    plan: (...behaviours) => void planned.push(...behaviours),
    calls,
    hanging: () => (hung.size > 0 ? Promise.resolve() : new Promise((resolve) => (onHang = resolve))),
    cut,
    reset: () => {
      cut();
      planned.length = 0;
      calls.length = 0;
    },
    close: () => close(server),
  };
}

/** Does `work` while the mails of the world pass a gateway. */
export async function behindMailGateway(work: (gateway: MailGateway) => Promise<void>): Promise<void> {
  const gateway = await startMailGateway(world.cloud.mailUrl);
  const before = process.env['RESEND_BASE_URL'];
  Object.assign(process.env, { RESEND_BASE_URL: gateway.url, MAIL_RETRY_PAUSE_MS: '1' });
  try {
    await work(gateway);
  } finally {
    await gateway.close();
    process.env['RESEND_BASE_URL'] = before;
    delete process.env['MAIL_RETRY_PAUSE_MS'];
  }
}
