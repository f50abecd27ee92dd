/** Whether a text has the form of a listing's slug. Such a text is also safe as the name of a folder. */
export const isSlug = (text: string) => /^[a-z0-9]+(-[a-z0-9]+)*$/.test(text);

export const SLUG_HINT = "The slug is the last part of the listing's address: …/marketplace/<slug>";
