import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { SUPPORTED_PROTOCOL_VERSIONS, type JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import { resolveSignIn, type Account } from '../address';
import { renderCommands } from '../command-line';
import { serveOthers } from '../config-folder';
import { program } from '../program';
import { pushContents } from '../push-contents';
import { commandRunner } from '../run-command';
import { agentServer } from './server';

serveOthers();

const client = { runCommand: commandRunner(program), pushContents, renderCommands, resolveSignIn, hasComputer: false };

/** The versions of the protocol that a client may name. */
export const protocolVersions: readonly string[] = SUPPORTED_PROTOCOL_VERSIONS;

/**
 * The answer to one message of an agent, for the function `mcp`. Undefined for a notification, and when `signal` ends
 * the call. Nothing is kept for the next message: each gets a server of its own, whose tools call the service at
 * `baseUrl` with `key`.
 */
export async function answerAgent(
  message: object,
  { signal, ...account }: Account & { signal: AbortSignal },
): Promise<object | undefined> {
  const server = agentServer({ ...client, address: { account } });
  const [agent, own] = InMemoryTransport.createLinkedPair();
  await server.connect(own);
  const end = () => void server.close();
  signal.addEventListener('abort', end);
  try {
    return await new Promise<object | undefined>((resolve, reject) => {
      // Progress is told to nobody: the answer is one document.
      agent.onmessage = (sent) => {
        if (!('method' in sent)) resolve(sent);
      };
      agent.onclose = () => resolve(undefined);
      agent.send(message as JSONRPCMessage).catch(reject);
      if (!('id' in message)) resolve(undefined);
    });
  } finally {
    signal.removeEventListener('abort', end);
    await server.close();
  }
}
