import { dirname, join } from 'node:path';

/** The viewer, pdf.js and the program that reads PDFs: beside the bundle. The sources use those of the library. */
export const pdfFolder = join(dirname(__filename), __filename.endsWith('.ts') ? '../../dist/pdf' : 'pdf');
