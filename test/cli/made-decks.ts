import { temporaryFiles } from '../support/temporary-folder';

/** Decks that are made of a PDF or of pictures. */

export const pages = [{ heading: 'Opening', lines: ['Welcome'] }, { heading: 'Numbers' }];

/** The temporary files of decks that were made. */
export const unfinished = () => temporaryFiles('deck-made-');
