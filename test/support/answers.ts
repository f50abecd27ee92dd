import type { Answered, ErrorBody } from './world';

type Answers = Promise<Answered<unknown>>;

/** The status and the code of a refusal. Throws when the call succeeded. */
export async function refusal(answer: Answers): Promise<[status: number, code: string]> {
  const { status, error } = await answer;
  return [status, error.code];
}

/** The status, the code and the details of a refusal. Throws when the call succeeded. */
export async function fullRefusal(answer: Answers): Promise<[number, string, ErrorBody['details']]> {
  const { status, error } = await answer;
  return [status, error.code, error.details];
}

/** How many of the answers have each code; `ok` are those that succeeded. */
export function outcomes(answers: readonly Pick<Answered<unknown>, 'body'>[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { body } of answers) {
    const outcome = body.error?.code ?? 'ok';
    counts[outcome] = (counts[outcome] ?? 0) + 1;
  }
  return counts;
}

/** Does `work` so many times at once. */
export const atOnce = <T>(count: number, work: (i: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, i) => work(i)));
