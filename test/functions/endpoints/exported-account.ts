import { aReader } from '../../support/views';
import { page, succeed, world, type Account, type Deck, type DeckFile } from '../../support/world';

/** What is in an export of an account. */

export const READER = 'grace@example.org';
const PASSCODE = 'analytical-7';

export const style = (text: string, path = 'a/style.css'): DeckFile => ({
  path,
  bytes: Buffer.from(text),
  contentType: 'text/css',
});

/** An account with all that an export has. Its deck has three versions, of which the last brings the first back. */
export async function anAccount(): Promise<{ owner: Account; deck: Deck; secrets: string[] }> {
  const owner = await world.aPublisher();
  const { key } = owner;
  const deck = await world.aPushedDeck(owner, [page('One'), style('a {}')], 'Quarterly Ergebnisse');
  const { presentationId } = deck;
  const commit = async (files: DeckFile[]) => {
    await world.uploadAll(owner, { presentationId }, files);
    await succeed(world.commit(owner, { presentationId }, files));
  };
  await commit([page('Two'), style('a {}'), style('b {}', 'b.css')]);
  await commit([page('One'), style('a {}', 'moved.css')]);
  const call = <T = object>(name: string, body: object) => succeed(world.call<T>(name, body, { key }));
  const rules = { passcode: PASSCODE, allowedEmails: [READER], short: true };
  const link = await call<{ shareUrl: string; shortUrl: string }>('addPresentationToken', {
    presentationId,
    tokenName: 'Investors',
    ...rules,
  });
  const mailed = await call<{ sent: { shareUrl: string }[] }>('sharePresentationViaEmail', {
    presentationId,
    emails: [READER],
  });
  const [{ shareUrl } = { shareUrl: '' }] = mailed.sent;
  await (await (await aReader({ shareUrl })).load()).tell();
  await call('inviteCollaborator', { presentationId, email: 'dev@example.org' });
  await world.aListing(owner, {}, deck);
  const { secret } = await call<{ secret: string }>('createWebhook', {
    url: 'https://hooks.example.com/s3cret',
    events: ['*'],
  });
  const session = await world.aDashboardSession(owner);
  const last = (url: string) => url.split('/').at(-1)!;
  const urls = [deck.shareUrl, link.shareUrl, link.shortUrl, shareUrl].map(last);
  return { owner, deck, secrets: [...urls, key, secret, session, PASSCODE, 's3cret'] };
}

export const text = (files: ReadonlyMap<string, Buffer>, path: string) => files.get(path)?.toString() ?? '';
