import { currentContext, runIn } from '../../functions/src/context';

test('the context of a request is found until all work for requests has ended', async () => {
  const [one, other] = [1, 2].map((endsAt) => ({ trail: undefined, endsAt }));
  let end = () => {};
  const long = runIn(one!, async () => {
    await new Promise<void>((resolve) => (end = resolve));
    return currentContext();
  });
  expect(await runIn(other!, () => Promise.resolve(currentContext()))).toBe(other);
  end();
  expect(await long).toBe(one);
  expect(currentContext()).toBeUndefined();
  expect(await runIn(other!, () => Promise.resolve(currentContext()))).toBe(other);
});
