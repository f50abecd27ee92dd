import { randomBytes } from 'node:crypto';
import { describeInBrowser, until } from './browser';
import { PdfStage, talk } from './pdf-stage';

/** Decks of PDFs with many pages, on paper, and in the other encodings. */

const stage = new PdfStage();
const { open, press, printed, serve, shown } = stage;

describeInBrowser('the deck of a PDF', () => {
  test('prints all pages', async () => {
    await open(await serve(talk));
    expect(await printed()).toEqual([2000, 2000, 2000, 2000, 2000]);
  });

  test('loads only the part of a large PDF that a page needs, and keeps the pictures of three pages', async () => {
    const large = await serve({
      pages: Array.from({ length: 40 }, (_, at) => ({ heading: `Page ${at}`, picture: randomBytes(100_000) })),
    });
    await open(large, '#20');
    const answers = () => stage.viewer.answers.filter(({ url }) => url.endsWith('/slides.pdf'));
    expect(answers().length).toBeGreaterThan(0);
    expect(answers().every(({ status }) => status === 206)).toBe(true);
    expect(answers().length).toBeLessThan(8);
    for (let number = 21; number < 27; number++) {
      await press(' ');
      await shown(number);
    }
    const kept = `document.querySelectorAll('section canvas').length <= 3`;
    await until(stage.viewer.page, kept);
  });
});

describeInBrowser('what a page of a PDF holds', () => {
  test.each(['simplified Chinese', 'traditional Chinese', 'Korean'] as const)(
    'has %s text without its font, by character maps of the deck',
    (language) => stage.proveText(language),
  );

  test.each(['JPEG 2000'] as const)('shows a picture of %s, which a program of the deck decodes', (format) =>
    stage.provePicture(format),
  );
});
