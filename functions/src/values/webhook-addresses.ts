import { isIP } from 'node:net';
import { isPublicAddress } from './networks';

/** The ports of the addresses of webhooks. */
const PORTS = ['', '8443'];
/** Names that only a private network knows. */
const PRIVATE_NAME = /^[^.]*$|(^|\.)(localhost|local|internal|lan|home|corp)$/;

/** The host of an address, without the brackets of an IPv6 address and the dot at its end. */
export const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[(.*)\]$|\.$/g, '$1');

/**
 * Why a webhook cannot have this address; undefined when it can. `allowsPrivate` lifts the scheme, the ports, and the
 * private networks. A name is looked up when an event is delivered: its address may change.
 */
export function webhookUrlProblem(text: string, allowsPrivate: boolean): string | undefined {
  if (!URL.canParse(text)) return 'The address is not a URL.';
  const url = new URL(text);
  if (url.protocol !== 'https:' && !(allowsPrivate && url.protocol === 'http:'))
    return 'The address must begin with https://.';
  if (url.username || url.password) return 'The address must not have a name or a password.';
  if (url.hash) return 'The address must not have a fragment.';
  if (allowsPrivate) return undefined;
  if (!PORTS.includes(url.port)) return 'The port must be 443 or 8443.';
  const host = hostOf(url);
  const isPublic = isIP(host) ? isPublicAddress(host) : !PRIVATE_NAME.test(host);
  return isPublic ? undefined : 'The address must be one of the internet.';
}
