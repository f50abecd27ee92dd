import { z } from 'zod';
import { problemText } from '../../web/dashboard/src/words/failures';

test.each([
  [z.number().max(100), 101, 'At most 100.'],
  [z.string().max(3), 'four', 'At most 3 characters.'],
  [z.array(z.string()).max(2), ['a', 'b', 'c'], 'At most 2 entries.'],
  [z.string().min(3), 'no', 'Too small: expected string to have >=3 characters'],
])('a limit is told without the names of types', (schema, value, told) => {
  expect(schema.safeParse(value).error?.issues.map(({ message }) => problemText(message))).toEqual([told]);
});
