import { join } from 'node:path';
import { changeSecretJson } from '../../../client/src/json-file';
import { configFolder } from '../config-folder';

/** The browsers of which the user was told that they do not start, by their programs. */
type Told = Record<string, true>;

/** A disk that takes no file must not fail a push. */
const change = (work: (told: Told) => Told) =>
  changeSecretJson<Told>(join(configFolder(), 'told-browsers.json'), (told = {}) => work(told)).catch(() => undefined);

/** Notes that the user is told that the browser does not start. Returns whether this is the first time. */
export async function tellOnce(program: string): Promise<boolean> {
  let isFirst = true;
  await change((told) => {
    isFirst = told[program] !== true;
    return isFirst ? { ...told, [program]: true } : told;
  });
  return isFirst;
}

/** The browser has started: if it fails later, the user is told again. */
export async function forgetTold(program: string): Promise<void> {
  await change(({ [program]: _, ...others }) => others);
}
