/** Where the parts of the deck of a PDF are. */
export const ENTRY_PATH = 'index.html';
export const PDF_PATH = 'slides.pdf';
/** The viewer, pdf.js and what pdf.js needs. */
export const VIEWER_FOLDER = 'pdf/';
