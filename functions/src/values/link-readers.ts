import { mac } from './secrets';

const LENGTH = 24;

const hashOf = (key: string, tokenId: string, text: string) =>
  Buffer.from(mac(key, 'link-reader', tokenId, text), 'hex')
    .toString('base64url')
    .slice(0, LENGTH);

/**
 * The keyed hashes of addresses and of `@domain`s. They are bound to the link, so they tell nothing about another one.
 */
export const hashesOfRules = (key: string, tokenId: string, rules: readonly string[]): string[] =>
  rules.map((rule) => hashOf(key, tokenId, rule));

/** The hashes that admit the owner of this address: that of the address and that of its domain. */
export const hashesOfReader = (key: string, tokenId: string, email: string): [address: string, domain: string] => [
  hashOf(key, tokenId, email),
  hashOf(key, tokenId, email.slice(email.lastIndexOf('@'))),
];
