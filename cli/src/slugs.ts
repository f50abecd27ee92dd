/** Whether a text looks like the slug of a listing; such a text is safe as the name of a folder, too. */
export const isSlug = (text: string) => /^[a-z0-9]+(-[a-z0-9]+)*$/.test(text);

/** Where somebody finds the slug of a listing. */
export const whereSlugsAre = "The slug is the last part of the listing's address: …/marketplace/<slug>";
