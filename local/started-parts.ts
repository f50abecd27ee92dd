/** What a start must undo: started parts and temporary folders, in the reverse order of their start. */
export class StartedParts {
  readonly #stops: (() => Promise<void>)[] = [];

  /** Returns the part, which `stop` closes. */
  add<Part extends { close(): Promise<void> }>(part: Part): Part {
    this.atEnd(() => part.close());
    return part;
  }

  /** `stop` runs `work` after everything that is added later has stopped. */
  atEnd(work: () => Promise<void>): void {
    this.#stops.push(work);
  }

  /**
   * Stops everything once. A part that cannot stop does not keep the others running; its error is thrown at the end.
   */
  async stop(): Promise<void> {
    const errors: unknown[] = [];
    for (let stopOne = this.#stops.pop(); stopOne; stopOne = this.#stops.pop()) {
      await stopOne().catch((error: unknown) => errors.push(error));
    }
    if (errors.length > 0) throw errors[0];
  }
}
