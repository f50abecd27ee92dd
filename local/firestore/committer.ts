import { RpcError } from './errors';
import type { Change, Reader, Store } from './store';
import type { Micros } from './time';
import { prepareCommit, type ParsedWrite } from './writes';
import type { WriteResult } from './wire';

export interface Committed {
  time: Micros;
  results: WriteResult[];
}

interface Job {
  writes: ParsedWrite[];
  /** Throws when the commit must fail, for example after a conflict. */
  validate: (reader: Reader) => void;
  resolve: (committed: Committed) => void;
  reject: (error: unknown) => void;
}

type Outcome = { committed: Committed; changes: Change[] } | { error: unknown };

/**
 * Applies commits one after another. Commits that wait at the same moment share one disk transaction, so that many
 * writers cost one flush. Each commit succeeds or fails separately. A commit resolves after it is on disk.
 */
export class Committer {
  private queue: Job[] = [];
  private scheduled = false;

  constructor(
    private readonly store: Store,
    private readonly onCommitted: (changes: Change[]) => void,
  ) {}

  commit(writes: ParsedWrite[], validate: (reader: Reader) => void = () => {}): Promise<Committed> {
    return new Promise((resolve, reject) => {
      this.queue.push({ writes, validate, resolve, reject });
      if (this.scheduled) return;
      this.scheduled = true;
      setImmediate(() => this.flush());
    });
  }

  /** Applies all waiting commits now. */
  flush(): void {
    this.scheduled = false;
    const jobs = this.queue;
    this.queue = [];
    if (jobs.length === 0) return;
    let outcomes: Outcome[];
    try {
      outcomes = this.apply(jobs);
    } catch {
      // The disk may have space for some of the commits: apply each in a separate disk transaction.
      outcomes = jobs.map((job) => this.applyAlone(job));
    }
    const changes = outcomes.flatMap((outcome) => ('error' in outcome ? [] : outcome.changes));
    if (changes.length) this.onCommitted(changes);
    for (const [i, outcome] of outcomes.entries()) {
      if ('error' in outcome) jobs[i]!.reject(outcome.error);
      else jobs[i]!.resolve(outcome.committed);
    }
  }

  private apply(jobs: Job[]): Outcome[] {
    return this.store.transact(() => jobs.map((job) => this.applyOne(job)));
  }

  private applyAlone(job: Job): Outcome {
    try {
      return this.apply([job])[0]!;
    } catch (error) {
      return { error };
    }
  }

  /** Returns an RpcError as the job's outcome. Throws a disk error, which rolls back the whole disk transaction. */
  private applyOne({ writes, validate }: Job): Outcome {
    const reader = this.store.latest();
    let prepared;
    const time = this.store.clock.commitTime();
    try {
      validate(reader);
      prepared = prepareCommit(this.store, reader, writes, time);
    } catch (error) {
      if (error instanceof RpcError) return { error };
      throw error;
    }
    if (prepared.changes.length) this.store.apply(prepared.changes, time);
    return { committed: { time, results: prepared.results }, changes: prepared.changes.map(({ change }) => change) };
  }
}
