import { z } from 'zod';
import { config } from '../../config';
import { fail } from '../../errors';
import { readJsonBody } from '../../http/body';
import { bearerOf } from '../../http/caller';
import { rawEndpoint } from '../../http/endpoint';
import { failInput, sendJson } from '../../http/envelope';
import { header } from '../../http/request';
import { MB } from '../../values/units';

const LIMIT = 16 * MB;

const Input = z
  .object({
    jsonrpc: z.literal('2.0').meta({ description: 'The version of JSON-RPC.' }),
    id: z
      .union([z.string(), z.number()])
      .optional()
      .meta({ description: 'The answer repeats it. A message without it is a notification.', example: 1 }),
    method: z.string().meta({ description: 'Such as initialize, tools/list or tools/call.', example: 'tools/list' }),
    params: z.looseObject({}).optional().meta({ description: 'What the method takes.' }),
  })
  .meta({ examples: [{ jsonrpc: '2.0', id: 1, method: 'tools/list' }] });

/**
 * The tools are the commands of `deck mcp`. They call the service by HTTP with the key of the agent, so that scopes,
 * limits, costs and logs are those of the calls. Nothing is kept between two messages.
 */
export const mcp = rawEndpoint({
  name: 'mcp',
  about:
    'The Model Context Protocol for agents: Streamable HTTP without sessions, one JSON-RPC message in each request. ' +
    'The tools are those of `deck mcp` that need no disk. Each makes the calls of this reference with the key of the ' +
    'request, and needs the scopes of these calls.',
  method: 'POST',
  caller: 'any-key-or-session',
  limit: LIMIT,
  input: Input,
  bodyType: 'application/json',
  answers: {
    200: {
      description: 'The answer to the message, in JSON-RPC.',
      contentTypes: ['application/json'],
      headers: ['Cache-Control'],
    },
    202: { description: 'The message was a notification. The answer has no body.' },
  },
  errors: ['invalid-argument'],
  runtime: { class: 'transfer' },
  cost: { roundTrips: 1, reads: 1, writes: 0 },

  async handle({ context, request, response }) {
    const message = Input.safeParse(await readJsonBody(request, LIMIT));
    if (!message.success) return failInput(message.error, 'body');
    const { answerAgent, protocolVersions } = await import('../../../agents/server.cjs');
    const version = header(request, 'mcp-protocol-version');
    if (version !== undefined && !protocolVersions.includes(version)) {
      const problem = `The service knows the versions ${protocolVersions.join(', ')}.`;
      fail('invalid-argument', { errors: [{ location: 'header.MCP-Protocol-Version', message: problem }] });
    }
    const gone = new AbortController();
    response.once('close', () => gone.abort());
    const signal = AbortSignal.any([
      gone.signal,
      AbortSignal.timeout(Math.max(0, Math.floor(context.endsAt - performance.now()))),
    ]);
    const answer = await answerAgent(message.data, { baseUrl: config.baseUrl(), key: bearerOf(request), signal });
    if (answer) return sendJson(response, 200, answer);
    if (gone.signal.aborted) return;
    if (message.data.id !== undefined)
      fail('internal', undefined, { cause: new Error('A tool did not end in the time of the function.') });
    response.statusCode = 202;
    response.end();
  },
});
