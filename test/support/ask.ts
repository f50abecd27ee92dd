import { createAccessRequest } from '../../functions/src/records/access-requests';
import { transact } from '../../functions/src/records/transact';
import { labelOfToken } from '../../functions/src/values/deck-origins';
import { runJob } from './jobs';
import type { World } from './world';

let clients = 0;
/** The address of a client that has not asked before. */
export const aClient = () => `198.51.${Math.floor(++clients / 250)}.${clients % 250}`;

/** The form of the page on which a person without a link asks for access. */
interface AskFields {
  label: string;
  email?: string;
  message?: string;
  code?: string;
  gate?: string;
}

/** Sends the form. `gate` is the state in the address of the page that comes next. */
export async function sendAsk(world: World, fields: AskFields, client = aClient()) {
  const answer = await fetch(`${world.cloud.baseUrl}/askForAccess`, {
    method: 'POST',
    redirect: 'manual',
    body: new URLSearchParams({ ...fields }),
    headers: { 'x-forwarded-for': client },
  });
  const location = answer.headers.get('location') ?? '';
  return { answer, location, gate: new URL(location || 'http://x').searchParams.get('gate') ?? '' };
}

/** The page that comes next, as text. */
export const pageAfter = async (sent: { location: string }) => (await fetch(sent.location)).text();

/** Asks at a label on the pages, with a mailed code. */
export async function askAt(world: World, label: string, email: string, message = ''): Promise<void> {
  const { gate } = await sendAsk(world, { label, email, message });
  const sent = await sendAsk(world, { label, gate, code: await world.mailedCode(email) });
  if (!(await pageAfter(sent)).includes('Your request is sent')) throw new Error(`${email} could not ask for access.`);
}

/** Stores a request at a label as `askAt` does, without mail and wait. */
export const storeAsk = (label: string, email: string, message: string | null = null) =>
  transact((tx) => Promise.resolve(createAccessRequest(tx, { label, email, message }, new Date())));

/** Asks at the link of a deck, and mails the owner. */
export async function askFor({ tokenId }: { tokenId: string }, email: string, message?: string): Promise<void> {
  await storeAsk(labelOfToken(tokenId), email, message);
  await runJob('notifyOwners');
}

/** The stored requests of an address. */
export async function asksOf({ database }: World, email: string) {
  const { docs } = await database.collection('accessRequests').get();
  return docs.filter((each) => each.get('email') === email);
}
