/** The script of the page around a deck. */
export const outer: string;
/** The runtime of decks on an origin of their own. */
export const linked: string;
/** The runtime of decks in a frame with an opaque origin. */
export const framed: string;
/** The module of live sessions. The server puts the constant `FUNCTIONS` in front of it. */
export const live: string;
/** The script of the home page. */
export const home: string;
/** The script of the lists of the marketplace. */
export const browse: string;
/** The script of the page of a listing. */
export const listing: string;
/** The script with which a program shows the slides of a deck one after another. */
export const driver: string;
