import { noFigures, partsOf } from '../../../functions/src/policy/insight-figures';
import { noPeople } from '../../../functions/src/values/people-sketch';

test('the 100 largest parts are shown, and those that are gone take no place among them', () => {
  const figures = noFigures();
  const part = (i: number) => ({ views: 200 - i, seconds: 1, people: noPeople, lastSeenAt: 0 });
  for (let i = 0; i < 120; i++) figures.parts.set(String(i), part(i));
  const { shown, other } = partsOf(figures, (id) => Number(id) >= 10);
  expect(shown.map(([id]) => id)).toEqual(Array.from({ length: 100 }, (_, i) => String(i + 10)));
  expect(other.seconds).toBe(20);
});
