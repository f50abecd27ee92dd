import { houseCss } from '../house/house.cjs';

/** The variables of the pages that the functions render: those of all pages. */
export const palette = houseCss();
