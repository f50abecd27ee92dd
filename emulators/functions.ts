/** A function of the emulator, with the trigger of its schedule. */
interface EmulatedFunction {
  id: string;
  region: string;
  schedule?: object;
  timeoutSeconds?: number;
}

/** The functions that the emulator has loaded. Throws when there is none: the emulator starts without them. */
export async function emulatedFunctions(port: number, signal: AbortSignal | undefined): Promise<EmulatedFunction[]> {
  const response = await fetch(`http://127.0.0.1:${port}/backends`, signal ? { signal } : {});
  const { backends } = (await response.json()) as { backends: { functionTriggers: EmulatedFunction[] }[] };
  const functions = backends.flatMap(({ functionTriggers }) => functionTriggers);
  if (functions.length > 0) return functions;
  throw new Error('The Functions emulator has loaded no function. Its output tells the reason.');
}

/** The scheduled functions by their names, in the form of exports of functions/. */
export function scheduled(functions: readonly EmulatedFunction[]): Record<string, unknown> {
  const entries = functions.flatMap(({ id, region, schedule: scheduleTrigger, timeoutSeconds }) =>
    scheduleTrigger ? [[id.slice(region.length + 1), { __endpoint: { scheduleTrigger, timeoutSeconds } }]] : [],
  );
  return Object.fromEntries(entries) as Record<string, unknown>;
}

/** The name in the address of a scheduled function: the emulator serves `finishDeletions` as `finishDeletions-0`. */
export const addressedAs = (name: string) => `${name}-0`;
