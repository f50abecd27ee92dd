/** Whether a text has the form of an address, such as the name of a link that was mailed to one. */
export const isAddress = (text: string): boolean => /^[^\s@]+@[^\s@]+$/.test(text);

const GMAIL = 'gmail.com';
const gmailDomains = new Set([GMAIL, 'googlemail.com']);

/**
 * The address without the parts with which one mailbox has any number of addresses: a `+…` in the local part, and for
 * Gmail the dots. Limits and stops hold for the mailbox. `email` is a valid address in lower case.
 */
export function mailboxOf(email: string): string {
  const at = email.lastIndexOf('@');
  const domain = email.slice(at + 1);
  const isGmail = gmailDomains.has(domain);
  const [local = ''] = /^.[^+]*/.exec(email.slice(0, at)) ?? [];
  return `${isGmail ? local.replaceAll('.', '') : local}@${isGmail ? GMAIL : domain}`;
}
