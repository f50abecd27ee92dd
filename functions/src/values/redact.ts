/** What must not stand in a log, whatever error brought it there. */
const secrets: readonly [RegExp, string][] = [
  [/ck[oas]_[0-9A-Za-z]{20,}/g, '<key>'],
  [/(\/_t\/|[?&]token=)[^\s/?#&"'<>]+/gi, '$1<token>'],
  // A share token by itself: 48 bytes in base64url. A SHA-256 in hex is as long and no secret.
  [/(?<![\w-])(?![0-9a-f]{64}(?![\w-]))[\w-]{64}(?![\w-])/g, '<token>'],
  [/[^\s@<>()"'`,;:=/?&]{1,64}(?:@|%40)[^\s@<>()"'`,;:/?&]{1,253}\.[^\s@<>()"'`,;:/?&]+/gi, '<address>'],
];

/** The text without keys, share tokens and email addresses. */
export function withoutSecrets(text: string): string {
  return secrets.reduce((rest, [pattern, instead]) => rest.replace(pattern, instead), text);
}
