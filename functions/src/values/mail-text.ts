/** Characters that end a header line, are seen nowhere, or turn the direction of what follows. */
const UNSAFE = /[\p{Cc}\s\u2028\u2029\u202a-\u202e\u2066-\u2069]+/gu;

/** What somebody has written, as one line of at most `max` characters: a header is never more than that. */
export function oneLine(text: string, max = 200): string {
  const line = [...text.toWellFormed().replace(UNSAFE, ' ').trim()];
  return line.length > max ? `${line.slice(0, max - 1).join('')}…` : line.join('');
}

/** What somebody has written for the body of a mail: its lines as they are, without characters that mail programs choke on. Null when nothing is left. */
export function plainText(text: string): string | null {
  return (
    text
      .toWellFormed()
      .replace(/[^\P{Cc}\n\r\t]/gu, '')
      .trim() || null
  );
}

/**
 * The sender with an organization's name before it: `Acme via Decks <decks@example.org>`. Of the name only what needs no quoting is left, so it can
 * be no other address, and it stands for nobody else: ours follows it. Without a usable name the sender stays as it is.
 */
export function senderFor(organizationName: string, mailFrom: string): string {
  const [, own, address] = /^([^<]*)<([^<>]+)>\s*$/.exec(mailFrom) ?? [undefined, '', mailFrom];
  const name = oneLine(organizationName.replace(/[^\p{L}\p{M}\p{N}&'+_ -]+/gu, ' ').replace(/ +/g, ' '), 60);
  if (!/[\p{L}\p{N}]/u.test(name)) return mailFrom;
  const suffix = own?.trim() ? ` via ${own.trim()}` : '';
  return `${name}${suffix} <${address.trim()}>`;
}
