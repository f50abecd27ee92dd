/** Where a tab keeps the hash of an address for whoever presents. */
export const PRESENTER = 'deck live';

/** The module of live sessions. */
interface Live {
  default: (ticket: string) => void;
}

/**
 * What takes part in a live session: it loads the module at the address, which follows with a ticket of the audience,
 * and presents with the hash of an address for whoever presents. A page without a session never loads it.
 */
export const joinFrom = (address: () => string) => (ticket: string) =>
  void import(address()).then(
    (live: Live) => live.default(ticket),
    () => {},
  );
