import { setTimeout as pause } from 'node:timers/promises';
import { StepFailure } from './command';
import { describe } from './context';
import type { Surroundings } from './surroundings';

const CALL_PATIENCE_MS = 30_000;

export interface Answer<T> {
  status: number;
  data: T | undefined;
  code: string | undefined;
  text: string;
}

/** Calls the deployed service. Throws StepFailure when no answer comes. */
export async function callService<T>(
  url: string,
  { body, headers = {} }: { body?: object; headers?: Record<string, string> } = {},
): Promise<Answer<T>> {
  const { status, text } = await send().catch((error: Error) => {
    throw new StepFailure(`${url} does not answer: ${describe(error)}`);
  });
  try {
    const { data, error } = JSON.parse(text) as { data?: T; error?: { code?: string } };
    return { status, data, code: error?.code, text };
  } catch {
    return { status, data: undefined, code: undefined, text };
  }

  async function send(): Promise<{ status: number; text: string }> {
    const response = await fetch(url, {
      method: body ? 'POST' : 'GET',
      headers: { ...(body && { 'content-type': 'application/json' }), ...headers },
      ...(body && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(CALL_PATIENCE_MS),
    });
    return { status: response.status, text: await response.text() };
  }
}

/** How often a call is repeated that a new deploy may not answer at once. */
const TRIES = 30;

/**
 * The data of an answer that must be 200. After a first deploy the roles of the functions are unknown, or indexes are
 * built, for minutes. So other answers are awaited, up to 29 pauses of the surroundings.
 */
export async function expectData<T>(
  around: Surroundings,
  url: string,
  what: string,
  headers: Record<string, string> = {},
): Promise<T> {
  const { status, data, text } = await awaitAnswer(around, () => callService<T>(url, { headers }));
  if (status === 200 && data !== undefined) return data;
  throw new StepFailure(
    `${what} fails: ${url} answers ${status}.\n\n  ${text.slice(0, 500)}`,
    status === 401 || status === 403
      ? 'The function is not public. Run the deploy again with --from public.'
      : 'The log tells the reason: https://console.cloud.google.com/logs. New indexes take minutes to be built.',
  );
}

/** Repeats a call until it is answered with 200. Answers the last answer. */
export const awaitAnswer = <T>(around: Surroundings, call: () => Promise<Answer<T>>): Promise<Answer<T>> =>
  awaitGood(around, call, ({ status }) => status === 200);

/** Repeats a call until its answer is good. Answers the last answer. */
export async function awaitGood<T>(
  around: Surroundings,
  call: () => Promise<T>,
  isGood: (answer: T) => boolean,
): Promise<T> {
  for (let left = TRIES; ; left--) {
    try {
      const answer = await call();
      if (isGood(answer) || left <= 1) return answer;
    } catch (error) {
      if (left <= 1) throw error;
    }
    if (left === TRIES) around.print('… waiting until the new deploy answers');
    await pause(around.pauseMs);
  }
}

/** Whether the function itself answers. Google answers for one that is not public, without the id of the request. */
export async function answersItself(url: string): Promise<boolean> {
  const signal = AbortSignal.timeout(CALL_PATIENCE_MS);
  const { headers, body } = await fetch(url, { method: 'OPTIONS', signal });
  await body?.cancel();
  return headers.has('x-request-id');
}
