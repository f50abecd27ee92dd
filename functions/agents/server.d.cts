/** The versions of the protocol that a client may name. */
export const protocolVersions: readonly string[];

/**
 * The answer to one message of an agent. Undefined for a notification, and when `signal` ends the call. The tools call
 * the service at `baseUrl` with `key`.
 */
export function answerAgent(
  message: object,
  options: { baseUrl: string; key: string; signal: AbortSignal },
): Promise<object | undefined>;
