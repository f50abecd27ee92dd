import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');

/** Collects the garbage, so that a measurement of memory does not depend on the moment of the last collection. */
export const collect = runInNewContext('gc') as () => void;
