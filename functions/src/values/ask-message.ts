/** The most characters of what a person says who asks for access. */
export const MAX_ASK_MESSAGE = 200;

/** What mail programs make a link of: a scheme, `www.`, and names with a dot. Addresses of mailboxes are among them. */
const webAddress = /:\/\/|\bwww\.|[\p{L}\p{N}-]\.\p{L}{2}/iu;

export const hasWebAddress = (text: string): boolean => webAddress.test(text);
