import type { DeployOptions } from '../../deploy/context';
import { steps } from '../../deploy/steps';
import type { Place } from './place';

/** A deploy, and a project in the state before it. */
export type Story = { start: () => Promise<Place>; options?: Partial<DeployOptions> };

/** The changes and the looks of a deploy that is not cut off. */
export async function wholeDeploy({ start, options }: Story) {
  const { standIn, succeeds } = await start();
  const before = standIn.lines.length;
  await succeeds(options);
  const { changes, lines } = standIn;
  const looks = [...new Set(lines.slice(before).filter((line) => !changes.includes(line)))];
  expect(changes.length).toBeGreaterThan(5);
  return { snapshot: standIn.snapshot(), changes, looks };
}

type Whole = Awaited<ReturnType<typeof wholeDeploy>>;

/** Cuts a deploy off before or after the change takes effect, and expects that the next deploy continues it. */
export async function continuesAfter({ start, options }: Story, cut: string, side: 'before' | 'after', whole: Whole) {
  const { changes, snapshot } = whole;
  const { standIn, failsAt, succeeds } = await start();
  const told = await failsAt((line) => line === cut, options, side);
  const i = changes.indexOf(cut);
  const made = [...standIn.changes];
  expect(made).toEqual(changes.slice(0, side === 'after' ? i + 1 : i));
  expect(told).toMatch(/^✗ [a-z-]+ +This (command|call) [\s\S]*run the same command again/m);
  const [before = ''] = told.split(/^✗/m);
  expect(before.split('\n').filter((line) => !/^([✓…!]|$)/.test(line))).toEqual([]);
  await succeeds(options);
  expect([cut, standIn.snapshot()]).toEqual([cut, snapshot]);
  // Nothing is done twice, but a deploy.
  const again = [...made, ...standIn.changes].filter((line, j, all) => all.indexOf(line) !== j);
  expect(again.filter((line) => !line.startsWith('firebase deploy'))).toEqual([]);
}

/** Refuses a look, and expects that the deploy names its step and the command. */
export async function namesTheLook({ start, options }: Story, refused: string) {
  const { failsAt } = await start();
  const told = await failsAt((line) => line === refused, options);
  const step = steps[told.match(/^✓/gm)?.length ?? 0]!;
  expect(told).toMatch(new RegExp(`^✗ ${step.name}`, 'm'));
  if (!/^firebase --version|^(GET|POST) /.test(refused)) expect(told).toContain(refused);
}
