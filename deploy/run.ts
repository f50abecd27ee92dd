import { indented, Deploy, type DeployOptions } from './context';
import { StepFailure } from './command';
import { rollbackSteps, steps } from './steps';
import type { Step } from './steps/step';
import type { Surroundings } from './surroundings';

/**
 * Runs the steps in order and prints one line for each. Answers the exit code: 0 done, 1 a step failed. The command can
 * be run again after a failure: each step looks first, and acts only where something is missing.
 */
export async function runDeploy(options: DeployOptions, around: Surroundings): Promise<number> {
  const { print } = around;
  const deploy = new Deploy(options, around);
  const chosen = choose(options);
  const width = Math.max(...chosen.map(({ name }) => name.length));
  if (options.dryRun) print(`# A dry run for an empty project ${options.project}: nothing is called.`);
  for (const step of chosen) {
    if (options.dryRun) print(`\n# ${step.name}: ${step.about}`);
    try {
      const told = await step.run(deploy);
      if (!options.dryRun) print(`✓ ${step.name.padEnd(width)}  ${told}`);
    } catch (error) {
      if (!(error instanceof StepFailure)) throw error;
      print(`✗ ${step.name.padEnd(width)}  ${indented(error.message).trimStart()}`);
      if (error.advice) print(`\n${error.advice}`);
      print('\nThen run the same command again: it continues where it stopped, and repeats nothing that is done.');
      return 1;
    }
  }
  if (!options.dryRun) print(`\nThe service: ${deploy.baseUrl}\nexport DECK_BASE_URL=${deploy.baseUrl}`);
  return 0;
}

/**
 * The steps that --only and --from choose. The step `settings` always runs when an option changes a setting, and the
 * step `preflight` always runs before a release. Throws RangeError for an unknown name.
 */
export function choose({ only, from, rollback, restore, ...options }: DeployOptions): readonly Step[] {
  if (rollback && restore !== undefined) throw new RangeError('Choose one of --restore and --rollback.');
  if (rollback) return rollbackSteps;
  // The service moves to the new database when rules, indexes and functions are released there.
  const isMoved = options.set?.some((each) => each.startsWith('DATABASE_ID='));
  if (restore !== undefined && (only !== undefined || from !== undefined || isMoved)) {
    throw new RangeError(
      '--restore needs all steps, and chooses DATABASE_ID: leave out --only, --from and --set DATABASE_ID.',
    );
  }
  const indexOf = (name: string) => {
    const i = steps.findIndex((step) => step.name === name);
    if (i < 0)
      throw new RangeError(`There is no step ${name}. The steps: ${steps.map((step) => step.name).join(', ')}.`);
    return i;
  };
  const first = indexOf(only ?? from ?? steps[0]!.name);
  const last = only === undefined ? steps.length - 1 : first;
  const isReleasing = first <= indexOf('release') && indexOf('release') <= last;
  const { region, mailFrom, proxyHops, set, deckOrigin } = options;
  // An origin that is switched on becomes a setting when it works.
  const changesSettings = deckOrigin === false || [region, mailFrom, proxyHops, set].some((each) => each !== undefined);
  return steps.filter(
    ({ name }, i) =>
      (first <= i && i <= last) || (name === 'settings' && changesSettings) || (name === 'preflight' && isReleasing),
  );
}
