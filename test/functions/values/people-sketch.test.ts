import { addPerson, countPeople, noPeople, unionOf, type Sketch } from '../../../functions/src/values/people-sketch';
import { expectCounted, people, sketchOf } from './people';

const sizeOf = (sketch: Sketch) => JSON.stringify(sketch).length;

test('up to 100 people are counted exactly, whatever comes twice', () => {
  const all = people('a', 100);
  let sketch = noPeople;
  const counts = all.map((hash) => {
    sketch = addPerson(addPerson(sketch, hash), all[0]!);
    return countPeople(sketch);
  });
  expect(counts).toEqual(Array.from({ length: 100 }, (_, i) => i + 1));
  expect(countPeople(unionOf(sketch, sketchOf(all)))).toBe(100);
});

// The estimator of the first paper fails at 10 500.
expectCounted([101, 1000, 3000, 10_000, 10_500, 12_000]);

test('a union counts the people of both once, in any order, and however often it is made', () => {
  const all = people('b', 6000);
  for (const [left, right] of [
    [all.slice(0, 60), all.slice(30, 90)],
    [all.slice(0, 60), all.slice(40, 160)],
    [all.slice(0, 60), all],
    [all.slice(0, 4000), all.slice(2000)],
  ] as const) {
    const whole = sketchOf([...new Set([...left, ...right])]);
    const [a, b] = [sketchOf(left), sketchOf(right)];
    const union = unionOf(a, b);
    expect(countPeople(union)).toBe(countPeople(whole));
    expect(countPeople(unionOf(b, a))).toBe(countPeople(union));
    expect(countPeople(unionOf(unionOf(union, a), b))).toBe(countPeople(union));
  }
});

test('people who come one by one and all at once make the same sketch, of at most 5.5 KB', () => {
  const all = people('c', 3000);
  const one = all.reduce<Sketch>(addPerson, noPeople);
  expect(one).toEqual(sketchOf(all));
  expect(sizeOf(one)).toBeLessThan(5500);
  expect(sizeOf(sketchOf(people('d', 200_000)))).toBe(sizeOf(one));
  expect(sizeOf(sketchOf(all.slice(0, 100)))).toBeLessThan(2000);
});

test('a text that is not a hash is refused', () => {
  const full = sketchOf(people('e', 200));
  for (const text of ['', 'ada@example.com', 'A'.repeat(16), 'a'.repeat(17)])
    expect(() => addPerson(full, text)).toThrow('16 hex characters');
  expect(countPeople(addPerson(full, '0'.repeat(16)))).toBeGreaterThan(150);
});
