// Prints the texts of the pages of the PDF on standard input, as a JSON array.
import { buffer } from 'node:stream/consumers';
import { getDocument } from 'pdfjs-dist/legacy/build/pdf.mjs';

const data = new Uint8Array(await buffer(process.stdin));
const pdf = await getDocument({ data, verbosity: 0 }).promise;
const texts = [];
for (let number = 1; number <= pdf.numPages; number++) {
  const { items } = await (await pdf.getPage(number)).getTextContent();
  const text = items.map(({ str, hasEOL }) => (hasEOL ? `${str} ` : str)).join('');
  texts.push(text.replace(/\s+/g, ' ').trim());
}
console.log(JSON.stringify(texts));
