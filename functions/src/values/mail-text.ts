/**
 * Control characters and white space, which may end a header line, and characters that change the direction of text.
 */
const unsafe = /[\p{Cc}\s\u2028\u2029\u202a-\u202e\u2066-\u2069]+/gu;

/**
 * Text of a user as one line of at most `max` characters, for a mail header. A longer text is cut and ends with `…`.
 */
export function oneLine(text: string, max = 200): string {
  const line = [...text.toWellFormed().replace(unsafe, ' ').trim()];
  return line.length > max ? `${line.slice(0, max - 1).join('')}…` : line.join('');
}

/**
 * Text of a user for the body of a mail. Line breaks and tabs stay; other control characters are removed. Null when no
 * text remains.
 */
export function plainText(text: string): string | null {
  return (
    text
      .toWellFormed()
      .replace(/[^\P{Cc}\n\r\t]/gu, '')
      .trim() || null
  );
}

/** The sentence of a mail that tells who shares a deck: `Ann Lee (ann@example.org) of Acme shared …`. */
export function sharedBy(sender: { name: string; email: string } | null, organizationName: string): string {
  const name = oneLine(sender?.name ?? '', 100);
  const who = sender && `${name ? `${name} (${sender.email})` : sender.email} of ${organizationName}`;
  return `${who ?? organizationName} shared this presentation with you.`;
}

/**
 * The sender with the name of a person or an organization in front: `Ann Lee via Deckhost <decks@example.org>`. The
 * name keeps only characters that need no quoting, so it cannot contain an address. The service's name follows it, so a
 * recipient sees who sent the mail. Without a usable name, `mailFrom` is returned unchanged.
 */
export function senderFor(senderName: string, mailFrom: string): string {
  const [, serviceName, address] = /^([^<]*)<([^<>]+)>\s*$/.exec(mailFrom) ?? [undefined, '', mailFrom];
  const name = oneLine(senderName.replace(/[^\p{L}\p{M}\p{N}&'+_ -]+/gu, ' ').replace(/ +/g, ' '), 60);
  if (!/[\p{L}\p{N}]/u.test(name)) return mailFrom;
  const suffix = serviceName?.trim() ? ` via ${serviceName.trim()}` : '';
  return `${name}${suffix} <${address.trim()}>`;
}
