import { network } from '../../support/gateways';
import { succeed, world, type Answered } from '../../support/world';

/** How many documents a collection has. */
export const count = async (path: string) => (await world.database.collection(path).get()).size;

/** The data of a call while the answers to the next commits are lost. The test stands behind `network`. */
export async function losing<T>(commits: number, send: () => Promise<Answered<T>>): Promise<T> {
  network.loseAnswers(commits);
  const answer = await send();
  network.loseAnswers(0);
  return succeed(Promise.resolve(answer));
}
