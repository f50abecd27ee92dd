import type { QueryDocumentSnapshot } from 'firebase-admin/firestore';
import { collectionGroup } from './collections';
import { pagesOf } from './database';
import { event, events, type StoredEvent } from './events';
import { forgetAnswers } from './webhook-deliveries';

/** How an address, or a user, is taken out of events and of what is kept of their deliveries. */

/** Takes an address out of the events of an organization. `replacement` takes the place of each text that is it. */
export async function forgetInEvents(organizationId: string, email: string, replacement: string): Promise<void> {
  const query = events(organizationId).query().where('addresses', 'array-contains', email);
  for await (const page of pagesOf(query)) {
    for (const document of page) {
      const { addresses, reader, data } = document.data();
      await change(document, {
        addresses: addresses.filter((each) => each !== email),
        reader: reader === email ? null : reader,
        data: replaced(data, email, replacement) as StoredEvent['data'],
      });
    }
  }
}

/** A user who is taken out of the events of others. */
interface ForgottenUser {
  userId: string;
  emails: readonly string[];
  displayName: string;
}

/**
 * Takes a user out of the events of all organizations: as the actor, and by id, name and addresses in what they tell.
 * `replacementOf` makes the text that takes the place of an address. Each change removes what the queries find.
 */
export async function forgetUserInEvents(
  { userId, emails, displayName }: ForgottenUser,
  replacementOf: (organizationId: string, email: string) => string,
): Promise<void> {
  const all = collectionGroup('events', event);
  const queries = [
    ...emails.map((email) => all.where('addresses', 'array-contains', email)),
    all.where('actor.userId', '==', userId),
  ];
  for (const query of queries) {
    for await (const page of pagesOf(query)) {
      for (const document of page) {
        const { organizationId, actor, addresses, reader, data } = document.data();
        const texts = new Map<string, string | null>(
          emails.map((email) => [email, replacementOf(organizationId, email)]),
        );
        const ids = new Map<string, string | null>([...texts, [userId, null], [displayName, null]]);
        const isActor = actor.kind !== 'reader' && actor.kind !== 'system' && actor.userId === userId;
        await change(document, {
          actor: isActor ? { kind: 'user', userId: null } : actor,
          addresses: addresses.filter((each) => !texts.has(each)),
          reader: reader !== null && texts.has(reader) ? null : reader,
          data: replacedAll(data, ids) as StoredEvent['data'],
        });
      }
    }
  }
}

/** Changes an event. First the answers of receivers to it go: the query does not find a changed event again. */
async function change(document: QueryDocumentSnapshot<StoredEvent>, fields: Partial<StoredEvent>): Promise<void> {
  await forgetAnswers(document.data());
  await document.ref.update(fields);
}

const replaced = (value: unknown, text: string, by: string): unknown => replacedAll(value, new Map([[text, by]]));

function replacedAll(value: unknown, texts: ReadonlyMap<string, string | null>): unknown {
  if (typeof value === 'string') return texts.has(value) ? texts.get(value) : value;
  if (Array.isArray(value)) return value.map((each) => replacedAll(each, texts));
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([field, each]) => [field, replacedAll(each, texts)]));
}
