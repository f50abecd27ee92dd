import { endOfOpening, type Opening, type Proof } from '../values/deck-grants';

/** The rules of a link that a reader meets before the deck: a passcode, proven addresses, a number of openings. */

/**
 * At least so long takes an answer about an address, in milliseconds, so that it does not tell whether a mail was sent.
 */
export const ADDRESS_ANSWER_MS = 1000;

/** The fields of a share token that make its gate. */
export interface Gate {
  /** `id` names this passcode: a new one has another id. */
  passcode: { id: string } | null;
  /** The keyed hashes of the addresses and domains whose readers the link admits; see values/link-readers. */
  readers: readonly string[] | null;
  maxOpenings: number | null;
}

export const isGated = ({ passcode, readers, maxOpenings }: Gate): boolean =>
  passcode !== null || readers !== null || maxOpenings !== null;

/** Whether the proof has what the gate asks for. */
export const isProven = ({ passcode, readers }: Gate, proof: Proof): boolean =>
  (passcode === null || passcode.id === proof.passcode) && (readers === null || isReader(readers, proof.reader));

/** Whether a link admits the reader with these hashes. */
export const isReader = (readers: readonly string[], reader: Proof['reader']): boolean =>
  reader?.some((hash) => readers.includes(hash)) ?? false;

/**
 * Whether the grant of an opening no longer opens its link: after a day, a new passcode, or a list of readers that does
 * not have the proven one. A grant without an opening was given when the link had no gate.
 */
export const isGrantEnded = (gate: Gate, opening: Opening | undefined, now: Date): boolean =>
  isGated(gate) && (!opening || now >= endOfOpening(opening) || !isProven(gate, opening));
