import type { Deploy } from '../context';

export interface Step {
  /** The name for --from and --only. */
  name: string;
  /** What the step makes sure of. docs/deploy.md prints it. */
  about: string;
  /** Looks first, then acts. Answers what is true now. Throws StepFailure. */
  run(deploy: Deploy): Promise<string>;
}
