import { seal, unseal } from './secrets';

/** What a page without scripts remembers between two of its forms. It is sealed: it has the address that was typed. */

/** The gate of a link. */
export interface GateState {
  needs: string[];
  wrong?: string | undefined;
  attemptsRemaining?: number | undefined;
  requestToken?: string | undefined;
  email?: string | undefined;
  /** When the next code can be mailed to the address, in milliseconds. Absent when it can be mailed now. */
  nextCodeAt?: number | undefined;
  /** The id of the passcode that was proved. */
  provenPasscode?: string | undefined;
  /** The host of the page that led to the link. */
  from?: string | undefined;
}

/** The page on which a person asks for access. */
export interface AskState {
  /** What the page shows: the first form, the form for the code, or that the request was sent. */
  step: 'form' | 'code' | 'sent';
  email: string;
  message: string;
  /** `late`: the state before this one had expired. */
  wrong?: 'email' | 'message' | 'code' | 'late' | undefined;
  attemptsRemaining?: number | undefined;
  requestToken?: string | undefined;
  nextCodeAt?: number | undefined;
}

interface States {
  gate: GateState;
  ask: AskState;
}

const TTL_MS = 600_000;
const purposeOf = (page: keyof States) => `${page}-state`;

/** The sealed state. `of` is what the page is about: the id of a share token, or a label. */
export function writePageState<K extends keyof States>(
  secret: string,
  page: K,
  of: string,
  state: States[K],
  now: Date,
): string {
  return seal(secret, purposeOf(page), JSON.stringify({ ...state, expires: now.getTime() + TTL_MS }), of);
}

/** The state of that page. Undefined for any other text, and after 10 minutes. */
export function readPageState<K extends keyof States>(
  secrets: readonly string[],
  page: K,
  of: string,
  text: string,
  now: Date,
): States[K] | undefined {
  try {
    const state = JSON.parse(unseal(secrets, purposeOf(page), text, of)) as States[K] & { expires: number };
    return state.expires > now.getTime() ? state : undefined;
  } catch {
    return undefined;
  }
}
