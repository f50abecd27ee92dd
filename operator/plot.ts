import { operatorName, type CommandLine } from './options';

/** What is about to happen. `run` does it and records it in one transaction, and answers what is printed. */
export interface Plot {
  /** What the operator is asked before; null where nothing changes. */
  question: string | null;
  run: () => Promise<object>;
}

export type Command = (line: CommandLine) => Promise<Plot>;

/** The part of a record that does not depend on the command. */
export const by = ({ command, values }: CommandLine, at: Date) => ({
  action: command,
  operator: operatorName(values),
  reason: values.reason ?? null,
  at,
});
