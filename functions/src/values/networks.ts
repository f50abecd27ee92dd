import { isIPv6 } from 'node:net';
import ipaddr from 'ipaddr.js';

/** The address of an X-Forwarded-For entry: `192.0.2.1:443` and `[2001:db8::1]:443` without brackets and port. */
export function withoutPort(entry: string): string {
  return /^\[([^\]]*)\](?::\d+)?$/.exec(entry)?.[1] ?? /^([\d.]+):\d+$/.exec(entry)?.[1] ?? entry;
}

/**
 * Whether an address belongs to the internet: not to a private network, this machine, its link, a carrier, a group of
 * receivers or a registry, and not an IPv6 address that stands for an IPv4 address. 2000::/3 is all of IPv6 that is in
 * use (iana.org/assignments/ipv6-address-space). False for other texts.
 */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.parse(address);
  if (parsed.range() !== 'unicast') return false;
  return parsed instanceof ipaddr.IPv4 || (parsed.parts[0]! & 0xe000) === 0x2000;
}

/**
 * The network that rate limits count as one client. An IPv4 address is its own network, also in the form of an
 * IPv4-mapped IPv6 address. An IPv6 address counts as its /64, because one client usually holds a whole /64. Any other
 * text counts as itself.
 */
export function networkOf(address: string): string {
  const [withoutZone = ''] = address.split('%', 1);
  if (!isIPv6(withoutZone)) return address;
  // ipaddr.js reads `::192.0.2.1` as an IPv4-mapped address, but not `0::192.0.2.1`, which spells the same IPv6
  // address.
  const parsed = ipaddr.process(withoutZone.replace(/^::(?=\d+\.)/, '0::'));
  if (parsed instanceof ipaddr.IPv4) return parsed.toString();
  const groups = parsed.parts.slice(0, 4).map((group) => group.toString(16));
  return `${groups.join(':')}::/64`;
}
