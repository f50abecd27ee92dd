/** What getClientAddress answers. */
export interface Seen {
  clientAddress: string;
  forwardedFor: readonly string[];
  trustedProxyHops: number;
}

export interface Verdict {
  /** The right value of TRUSTED_PROXY_HOPS. */
  hops: number;
  isRight: boolean;
  /** Whether the address that the service counts is the known public address of the caller. */
  isConfirmed: boolean;
  message: string;
}

/**
 * Finds the right number of trusted proxies from one request that was sent with the invented entry `forged` in
 * X-Forwarded-For. The first trusted proxy writes the address of its client directly behind what the client wrote. So
 * the number of entries behind the invented one is the number of trusted proxies. A proxy that drops the invented entry
 * leaves its own entries only.
 */
export function judge(seen: Seen, forged: string, publicAddress: string | undefined): Verdict {
  const { clientAddress, forwardedFor, trustedProxyHops } = seen;
  const hops = forwardedFor.length - 1 - forwardedFor.lastIndexOf(forged);
  const isConfirmed = publicAddress !== undefined && plain(clientAddress) === plain(publicAddress);
  const isRight = trustedProxyHops === hops && clientAddress !== forged;
  return { hops, isRight, isConfirmed, message: isRight ? confirmation() : problem() };

  function confirmation(): string {
    const proof = isConfirmed ? 'the address of this machine' : 'which nothing else confirms';
    const expected = isConfirmed || !publicAddress ? '' : ` (${publicAddress} expected)`;
    return `the functions see ${clientAddress}, ${proof}${expected}; an invented address is not believed`;
  }

  function problem(): string {
    const change = `TRUSTED_PROXY_HOPS is ${trustedProxyHops} and must be ${hops}`;
    if (clientAddress === forged) return `the functions believe an address that a client invents: ${change}`;
    const caller = hops > 0 ? forwardedFor.at(-hops) : 'the address of the connection';
    return `the functions see ${clientAddress} instead of ${caller}: ${change}. All clients share one rate limit`;
  }
}

const plain = (address: string) => address.toLowerCase().replace(/^::ffff:/, '');
