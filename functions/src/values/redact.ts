/**
 * Patterns of secrets and email addresses, with the text that replaces them in a log line. The lengths in them bound
 * the work for each character, and the texts are some kilobytes of the service itself.
 */
/* eslint-disable redos/no-vulnerable */
const secretPatterns: readonly [RegExp, string][] = [
  [/ck[oas]_[0-9A-Za-z]{20,}/g, '<key>'],
  [/ckd_\d{1,11}_[\da-f]{64}/g, '<device>'],
  [/(\/code(?:s|Page)\/)[^\s/?#&"'<>]+/g, '$1<token>'],
  [/(\/_[tfg]\/|[?&]token=)[^\s/?#&"'<>]+/gi, '$1<token>'],
  [/(\/(?:s|shortLink)\/)[1-9A-HJ-NP-Za-km-z]{16}(?![\w-])/g, '$1<code>'],
  // The ticket or the grant of a deck's origin, which opens the deck as the token does, and the address of its picture.
  [/eyJ[\w-]{20,2000}\.[\da-f]{64}(?![\w-])/g, '<grant>'],
  // The state of a gate, and what stands in place of a share token.
  [/(\/again\/|[?&](?:gate|grant|again)=)[^\s/?#&"'<>]+/g, '$1<signed>'],
  // The cookie or the exchange of a dashboard session.
  [/[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}\.[\w-]{43}(?![\w-])/g, '<session>'],
  [/(\/picture\/)[^\s/?#&"'<>]+/g, '$1<signed>'],
  // A share token (48 bytes in base64url) or the token of a mail (64 bytes) without its URL. A SHA-256 in hex has the
  // length of a share token and is not a secret.
  [/(?<![\w-])(?![0-9a-f]{64}(?![\w-]))(?:[\w-]{64}|[\w-]{86})(?![\w-])/g, '<token>'],
  [/[^\s@<>()"'`,;:=/?&]{1,64}(?:@|%40)[^\s@<>()"'`,;:/?&]{1,253}\.[^\s@<>()"'`,;:/?&]+/gi, '<address>'],
];
/* eslint-enable redos/no-vulnerable */

/** The text without keys, share tokens, grants, tokens of mails and email addresses. */
export function withoutSecrets(text: string): string {
  return secretPatterns.reduce((redacted, [pattern, replacement]) => redacted.replace(pattern, replacement), text);
}
