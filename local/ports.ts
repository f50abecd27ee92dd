import { PortUnavailable } from './http/serve';
import { DEFAULT_PROJECT } from './project';

/** The port of each part that listens. 0 picks a free port. */
export interface Ports {
  functions: number;
  hosting: number;
  decks: number;
  firestore: number;
  storage: number;
  auth: number;
  mail: number;
  tasks: number;
}

export type Part = keyof Ports;

export const defaultPorts: Ports = {
  functions: 5001,
  hosting: 5000,
  decks: 5002,
  firestore: 8080,
  storage: 9199,
  auth: 9099,
  mail: 5080,
  tasks: 9499,
};
/** The address of the functions at the default ports, which is that of cli/src/base-url.ts, too. */
export const DEFAULT_BASE_URL = `http://127.0.0.1:${defaultPorts.functions}/${DEFAULT_PROJECT}/us-central1`;
export const DEFAULT_HOSTING_URL = `http://127.0.0.1:${defaultPorts.hosting}`;

export const freePorts: Ports = {
  functions: 0,
  hosting: 0,
  decks: 0,
  firestore: 0,
  storage: 0,
  auth: 0,
  mail: 0,
  tasks: 0,
};

/** The port of every part, some of them chosen. Without deck origins, nothing listens on their port. */
export function portsWith(
  chosen: Partial<Ports>,
  { ephemeral, deckOrigin }: { ephemeral: boolean; deckOrigin: boolean },
): Ports {
  return { ...(ephemeral ? freePorts : defaultPorts), ...chosen, ...(!deckOrigin && { decks: 0 }) };
}

/** macOS listens on this port by default. */
const AIRPLAY_PORT = 5000;
/** Only an administrator may listen below this port. */
const LOWEST_PORT = 1024;
const HIGHEST_PORT = 65_535;
const PORT_STEP = 50;

/** Starts a part on its port. Rejects when it cannot listen there; the error names the part and the option. */
export async function listening<T>(part: Part, ports: Ports, start: (port: number) => Promise<T>): Promise<T> {
  try {
    return await start(ports[part]);
  } catch (error) {
    if (!(error instanceof PortUnavailable)) throw error;
    const { port, message } = error;
    const note = port === AIRPLAY_PORT ? ' On macOS, the AirPlay receiver uses this port.' : '';
    const advice = `Choose another port: npm start -- --port ${part}=${otherPort(port)}`;
    throw new Error(`${message}${note}\n${advice}`, { cause: error });
  }
}

/** A port that a person may choose instead: every user may listen there, and no part has it by default. */
export function otherPort(port: number): number {
  const taken = new Set([port, ...Object.values<number>({ ...defaultPorts })]);
  let other = port;
  do {
    other += PORT_STEP;
    if (other > HIGHEST_PORT || other < LOWEST_PORT) other = LOWEST_PORT + (other % PORT_STEP);
  } while (taken.has(other));
  return other;
}

/** The first two parts that have the same port. */
export function samePort(ports: Ports): [Part, Part] | undefined {
  const parts = (Object.keys(ports) as Part[]).filter((part) => ports[part] !== 0);
  for (const [i, first] of parts.entries()) {
    const second = parts.slice(i + 1).find((part) => ports[part] === ports[first]);
    if (second !== undefined) return [first, second];
  }
  return undefined;
}

export function assertDistinct(ports: Ports): void {
  const same = samePort(ports);
  if (same) throw new Error(`The parts ${same.join(' and ')} have the same port, ${ports[same[0]]}.`);
}
