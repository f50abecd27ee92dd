import { findEntry } from '../../client/src/folder/entry';
import { failureOf } from './failure-of';

describe('the entry of a deck', () => {
  test.each([
    ['index.html at the root', ['about.html', 'index.html', 'x/index.html'], 'index.html'],
    ['the only page at the root', ['deck.html', 'style.css', 'notes/index.html'], 'deck.html'],
    ['a page with the extension .HTM', ['deck.HTM', 'style.css'], 'deck.HTM'],
    ['the only index.html one level below', ['app/index.html', 'app/more.html', 'other/x.html'], 'app/index.html'],
    ['the only index.html at the least depth', ['a/b/index.html', 'a/b/c/index.html', 'd/e/x.html'], 'a/b/index.html'],
    ['the only page of the deck', ['a/b/talk.html', 'a/x.js'], 'a/b/talk.html'],
  ])('is %s', (_rule, paths, entry) => {
    expect(findEntry(paths)).toBe(entry);
  });

  test.each([
    ['two pages at the root', ['a.html', 'b.html', 'x/index.html'], ['a.html', 'b.html']],
    ['two index.html one level below', ['a/index.html', 'b/index.html'], ['a/index.html', 'b/index.html']],
    ['two pages below and no index.html', ['a/1.html', 'b/2.html'], ['a/1.html', 'b/2.html']],
  ])('must be named by the user when there are %s, and the error lists the candidates', (_case, paths, candidates) => {
    expect(failureOf(() => findEntry(paths))).toMatchObject({
      code: 'ambiguous-entry',
      details: { candidates },
      message: expect.stringContaining(candidates[1] ?? '') as string,
      nextAction: expect.stringContaining('Name the entry') as string,
    });
  });

  test('is not found in a folder without a page', () => {
    expect(failureOf(() => findEntry(['a.js', 'html']))).toMatchObject({ code: 'no-entry' });
  });

  test.each(['./b.html', 'b.html'])('is the chosen file (%s), even beside an index.html', (chosen) => {
    expect(findEntry(['index.html', 'b.html'], chosen)).toBe('b.html');
  });

  test('is found by its composed name when the user typed the decomposed one', () => {
    expect(findEntry(['caf\u00e9.html', 'x.html'], 'cafe\u0301.html')).toBe('caf\u00e9.html');
  });

  test('must be one of the files when it was chosen', () => {
    expect(failureOf(() => findEntry(['index.html'], 'other.html'))).toMatchObject({ code: 'usage' });
  });
});
