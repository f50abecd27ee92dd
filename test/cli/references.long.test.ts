import fc from 'fast-check';
import { basesOf } from '../../client/src/inspection/addresses';
import { checkReferences } from '../../client/src/inspection/check-references';
import { cssReferences } from '../../client/src/inspection/css-references';
import { DeckPaths } from '../../client/src/inspection/deck-paths';
import { htmlReferences } from '../../client/src/inspection/html-references';

/** What a push finds in pages and stylesheets of 2 000 generated texts. */

describe('any text', () => {
  const html = '< > " \' </ <!-- --> <![CDATA[ <style> </style> <template> </template> <noscript> <svg>';
  const css = '{ } ( ) url( @import @font-face{ , \\ \n {"imports":{"a": /* % %zz // ../';
  const tags = ['<script type=importmap>', '<base href="', '<img srcset="', '<link rel=stylesheet href='];
  const pieces = [...html.split(' '), ...css.split(' '), ...tags];
  const piece = fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom(...pieces));
  const text = fc.array(piece, { maxLength: 40 }).map((pieces) => pieces.join(''));

  test('is a page and a stylesheet, whose addresses lead somewhere or nowhere', () => {
    fc.assert(
      fc.property(text, (text) => {
        const { base, references } = htmlReferences(text);
        const asking = { path: 'talk/index.html', bases: basesOf('talk/index.html', base) };
        const found = [...references, ...cssReferences(text)];
        const lines = text.split(/\r\n?|\n/).length;
        expect(found.filter(({ line }) => line < 1 || line > lines)).toEqual([]);
        for (const deckOrigins of [true, false, undefined]) {
          const warnings = checkReferences({ ...asking, references: found }, new DeckPaths(['a', 'b/a']), deckOrigins);
          expect(warnings.length).toBeLessThanOrEqual(found.length);
          expect(warnings.filter(({ path }) => path?.split('/').includes('..'))).toEqual([]);
        }
      }),
      { numRuns: 2_000 },
    );
  });
});
