import type { EndpointDefinition } from '../../functions/src/http/definition';
import { hasFields } from '../../functions/src/http/errors-of';
import { hashKey, scopes } from '../../functions/src/values/keys';
import { endpoints } from './endpoints';
import type { World } from './world';

/** The endpoints of which the tests of bodies are made. */
export const definitions = Object.values(endpoints).map(({ definition }) => definition);
/** The JSON calls and forms. */
const posts = definitions.filter((one) => 'answer' in one && one.method === 'POST' && hasFields(one));
/** The endpoints that read a body. */
export const readers = definitions.filter((each) => each.method === 'POST' && (posts.includes(each) || each.limit));
/** The endpoints that read JSON. */
export const jsonReaders = posts.filter(({ read }) => !read);
export const named = (list: EndpointDefinition[]) => list.map((definition) => [definition.name, definition] as const);

/** One endpoint of each kind that the list has. */
export const oneOfEach = (list: EndpointDefinition[], kindOf: (definition: EndpointDefinition) => unknown) => [
  ...new Map(list.map((definition) => [JSON.stringify(kindOf(definition)), definition])).values(),
];

/** The largest body in bytes. */
export const limitOf = ({ limit = 64 * 1024 }: EndpointDefinition): number => limit;

/** A key or session for one test of the endpoint, which may end it. Empty for a public endpoint. */
export async function freshKey(world: World, { caller }: EndpointDefinition): Promise<{ key?: string }> {
  if (caller === 'anyone' || caller === 'optional-key') return {};
  const account = await world.anOwner();
  if (caller === 'session') return { key: await world.aDashboardSession(account) };
  await world.database.doc(`apiKeys/${hashKey(account.key)}`).update({ scopes });
  return { key: account.key };
}
