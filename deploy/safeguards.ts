import { StepFailure } from './command';
import type { Deploy } from './context';
import { safeguards, type Safeguard } from './tables';

type Name = (typeof safeguards)[number]['setting'];

export const isValueOf = ({ form }: Safeguard, value: string) => value === 'off' || form.test(value);

/**
 * The value of a safeguard, and whether the operator chose it: what the operator did not choose may stay as another
 * value in the project. Undefined when the operator left the safeguard out. Throws StepFailure for another value.
 */
export function safeguard(deploy: Deploy, name: Name): { value: string; isChosen: boolean } | undefined {
  const row = safeguards.find(({ setting }) => setting === name)!;
  const chosen = deploy.setting(name);
  const value = chosen ?? row.standard;
  if (!isValueOf(row, value)) {
    throw new StepFailure(
      `${value} is not a value of the setting ${name}.`,
      `Add --set ${name}=${row.standard}, or --set ${name}=off.`,
    );
  }
  return value === 'off' ? undefined : { value, isChosen: chosen !== undefined };
}
