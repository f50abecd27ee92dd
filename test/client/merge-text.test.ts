import fc from 'fast-check';
import { mergeText } from '../../client/src/pull/merge-text';

/** The merge of texts by lines. */

const merge = (base: string, mine: string, theirs: string) => mergeText({ base, mine, theirs }, 'version 2');
const text = fc.array(fc.constantFrom('a\n', 'b\n', 'c\r\n', '\n'), { maxLength: 8 }).map((lines) => lines.join(''));

test('of a change on one side, or of the same change on both, is that change, byte for byte', () => {
  fc.assert(
    fc.property(text, text, fc.constantFrom('', 'end'), (base, other, end) => {
      const changed = other + end;
      const expected = { text: changed, conflicts: 0 };
      expect([merge(base, changed, base), merge(base, base, changed), merge(base, changed, changed)]).toEqual([
        expected,
        expected,
        expected,
      ]);
    }),
  );
});

test.each([
  ['changes of different lines', '1\n2\n3\n', 'x\n2\n3\n', '1\n2\ny\n', 'x\n2\ny\n', 0],
  ['a text without an end of line', 'a', 'b', 'c', '<<<<<<< this folder\nb\n=======\nc\n>>>>>>> version 2\n', 1],
  [
    'lines that one side removed',
    'a\nb\n',
    'a\n',
    'a\nc\n',
    'a\n<<<<<<< this folder\n=======\nc\n>>>>>>> version 2\n',
    1,
  ],
])('of %s', (_what, base, mine, theirs, expected, conflicts) => {
  expect(merge(base, mine, theirs)).toEqual({ text: expected, conflicts });
});

test('of texts with too many lines to compare is one conflict', () => {
  const long = '\n'.repeat(30_000);
  expect(merge(long, `${long}mine`, `${long}theirs`).conflicts).toBe(1);
});
