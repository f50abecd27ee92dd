import { steps } from '../../deploy/steps';
import { changesOf, type Place } from './place';

/** The changes and the looks of the first deploy to an empty project. */
export async function wholeDeploy(anEmptyProject: () => Promise<Place>) {
  const whole = await anEmptyProject();
  expect(await whole.deploy()).toBe(0);
  const changes = changesOf(whole);
  expect(changes.length).toBeGreaterThan(20);
  const looks = [...new Set(whole.standIn.lines.filter((line) => !changes.includes(line)))];
  expect(looks.length).toBeGreaterThan(10);
  return { snapshot: whole.standIn.snapshot(), changes, looks };
}

type Whole = Awaited<ReturnType<typeof wholeDeploy>>;

/** Cuts a deploy off before or after the change takes effect, and expects that the next deploy continues it. */
export async function continuesAfter(
  place: Place,
  cut: string,
  side: 'before' | 'after',
  { changes, snapshot }: Whole,
) {
  const { standIn, printed } = place;
  standIn.refuses = (line) => (line === cut ? side : undefined);
  expect([cut, await place.deploy()]).toEqual([cut, 1]);
  const i = changes.indexOf(cut);
  expect(changesOf(place)).toEqual(changes.slice(0, side === 'after' ? i + 1 : i));
  expect(printed.join('\n')).toMatch(/^✗ [a-z-]+ +This (command|call) [\s\S]*run the same command again/m);
  const failed = printed.findIndex((line) => line.startsWith('✗'));
  expect(printed.slice(0, failed).every((line) => /^[✓…]/.test(line))).toBe(true);

  standIn.refuses = () => undefined;
  expect([cut, await place.deploy()]).toEqual([cut, 0]);
  expect(standIn.snapshot()).toEqual(snapshot);
  // Nothing is done twice, but a deploy.
  const again = changesOf(place).filter((line, j, all) => all.indexOf(line) !== j);
  expect(again.filter((line) => !/^firebase deploy/.test(line))).toEqual([]);
}

/** Refuses a look, and expects that the deploy names its step and the command. */
export async function namesTheLook(place: Place, refused: string) {
  place.standIn.refuses = (line) => (line === refused ? 'before' : undefined);
  expect([refused, await place.deploy()]).toEqual([refused, 1]);
  const failure = place.printed.find((line) => line.startsWith('✗'))!;
  const step = place.printed.filter((line) => line.startsWith('✓')).length;
  expect(failure).toMatch(new RegExp(`^✗ ${steps[step]!.name}`));
  if (!/^firebase --version|^GET/.test(refused)) expect(failure).toContain(refused);
}
