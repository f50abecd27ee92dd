import type { Cost } from '../../functions/src/http/definition';
import { requestLineOf } from './request-lines';
import type { World } from './world';

/** The cost of a request. Fails when the log line of the request and the database count differently. */
export async function measure(
  world: World,
  work: () => Promise<{ requestId: string } | { headers: Headers } | void>,
): Promise<Required<Cost>> {
  let answer: Awaited<ReturnType<typeof work>> | undefined;
  const cost = await world.costOf(async () => (answer = await work()));
  const { roundTrips, documentReads: reads, documentWrites: writes, storageCalls: bucketCalls } = cost;
  const requestId = answer && ('headers' in answer ? answer.headers.get('x-request-id') : answer.requestId);
  if (requestId) {
    const { databaseReads, databaseWrites } = await requestLineOf(requestId);
    expect([databaseReads, databaseWrites]).toEqual([reads, writes]);
  }
  return { roundTrips, reads, writes, bucketCalls };
}

/** Which of the costs exceed their bound. */
export function excessOf(cost: Required<Cost>, atMost: Partial<Cost>): string[] {
  const bounds = { bucketCalls: 0, ...atMost };
  return (Object.keys(bounds) as (keyof Cost)[]).flatMap((each) =>
    cost[each] > bounds[each]! ? [`${each}: ${cost[each]}, and at most ${bounds[each]}`] : [],
  );
}
