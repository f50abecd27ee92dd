import type { z } from 'zod';
import type { Answer as InfoAnswer } from '../../../functions/src/endpoints/presentations/getSharedPresentationInfo';
import type { Answer as DecksAnswer } from '../../../functions/src/endpoints/presentations/listMyPresentations';
import { read } from '../../../functions/src/records/database';
import { presentationRef } from '../../../functions/src/records/presentations';
import { listLinks } from '../../../functions/src/records/share-links';
import { atOnce, refusal } from '../../support/answers';
import { passSeconds } from '../../support/clock';
import { makePictures, pictureFile } from '../../support/pictures';
import { type Account, type Deck, page, startWorld, succeed, world } from '../../support/world';

/** The links of a deck, its title and its expiry, and what the list of decks says of them. */

let owner: Account;
let deck: Deck;
startWorld(async () => {
  owner = await world.aPublisher();
});
beforeEach(async () => {
  deck = await world.aDeck(owner, [page('one')]);
  await world.uploadAll(owner, deck, [page('two')]);
});

type Link = Pick<Deck, 'tokenId' | 'token' | 'shareUrl'>;
const call = <T>(name: string, body: object = {}, headers = {}) =>
  world.call<T>(name, { presentationId: deck.presentationId, ...body }, { key: owner.key, headers });
const get = <T>(name: string, query: Record<string, string> = { presentationId: deck.presentationId }) =>
  succeed(world.call<T>(name, undefined, { key: owner.key, query }));
const info = () => get<z.output<typeof InfoAnswer>>('getSharedPresentationInfo');
const row = async () => {
  const { presentations } = await get<z.output<typeof DecksAnswer>>('listMyPresentations', {});
  return presentations.find(({ id }) => id === deck.presentationId)!;
};
const tryToAdd = (tokenName: string, more: object = {}, headers = {}) =>
  call<Link>('addPresentationToken', { tokenName, ...more }, headers);
const add = (tokenName: string, more: object = {}) => succeed(tryToAdd(tokenName, more));
const latest = { type: 'latest' };
const pinned = { type: 'pinned', version: 1 };
const addPinned = (tokenName: string) => add(tokenName, { versionMode: pinned });
const mode = (tokenId: string, versionMode: object) =>
  call<Record<string, unknown>>('setTokenVersionMode', { tokenId, versionMode });
const tryToUnshare = (body: object) =>
  call<{ revokedTokenIds: string[]; alreadyRevoked: string[]; revokedAt: string }>('unsharePresentation', body);
const unshare = (body: object) => succeed(tryToUnshare(body));
const next = (fields: object = {}) =>
  succeed(world.commit(owner, { presentationId: deck.presentationId, ...fields }, [page('two')]));
const restore = () => succeed(call('restorePresentationVersion', { version: 1 }));
const urlOf = ({ token }: Pick<Link, 'token'>) => world.viewUrl({ presentationId: deck.presentationId, token });
const look = async (link: Pick<Link, 'token'>) => {
  const response = await fetch(urlOf(link));
  const text = await response.text();
  return response.status === 200 ? (/<p>(\w+)/.exec(text)?.[1] ?? '') : response.status;
};
const idsOf = (links: { tokenId: string }[]) => links.map(({ tokenId }) => tokenId).sort();

describe('links of a deck', () => {
  test('follow the latest version or stay on a pinned version', async () => {
    const [follows, stays] = [await add('follows'), await addPinned('stays')];
    await next();
    expect([await look(deck), await look(follows), await look(stays)]).toEqual(['two', 'two', 'one']);
    const { tokenId, shareUrl } = stays;
    const moved = { presentationId: deck.presentationId, tokenId, name: 'stays', versionMode: latest, shareUrl };
    expect(await succeed(mode(tokenId, latest))).toEqual({ ...moved, servedVersion: 2 });
    expect(await succeed(mode(follows.tokenId, pinned))).toMatchObject({ servedVersion: 1 });
    expect([await look(follows), await look(stays)]).toEqual(['one', 'two']);
  });

  test('need a name and a version that exists, and are made once for each Idempotency-Key', async () => {
    const versionMode = { type: 'pinned', version: 2 };
    const refused = [tryToAdd(' '), tryToAdd('x', { versionMode }), mode(deck.tokenId, versionMode)];
    expect((await Promise.all(refused)).map(({ status }) => status)).toEqual([400, 400, 400]);
    const retry = () => succeed(tryToAdd('once', {}, { 'idempotency-key': 'key' }));
    const { tokenId } = await retry();
    expect(await retry()).toEqual({ tokenId });
    expect((await info()).tokens).toHaveLength(2);
  });

  test('are revoked one by one from the next request on, and a repeated revocation changes nothing', async () => {
    const { presentationId, tokenId } = deck;
    const other = await add('other');
    const { revokedAt, ...rest } = await unshare({ tokenId });
    expect(rest).toEqual({ presentationId, revokedTokenIds: [tokenId], alreadyRevoked: [] });
    expect([await look(deck), await look(other)]).toEqual([403, 'one']);
    const again = { presentationId, revokedTokenIds: [], alreadyRevoked: [tokenId], revokedAt };
    expect(await unshare({ tokenId })).toEqual(again);

    expect((await tryToUnshare({ tokenId: 'x'.repeat(22) })).status).toBe(404);
    const wrong = [{}, { all: true, tokenId }, { all: false }].map(tryToUnshare);
    expect((await Promise.all(wrong)).map(({ status }) => status)).toEqual([400, 400, 400]);
  });

  test('are all listed while they are not revoked, and of the revoked ones the newest', async () => {
    const made: Link[] = [];
    for (const name of ['a', 'b', 'c']) {
      passSeconds(1);
      made.push(await add(name));
    }
    for (const { tokenId } of made.slice(0, 2)) await unshare({ tokenId });
    const [found] = await read(presentationRef(deck.presentationId));
    const namesOf = async (limit: number) => (await listLinks(found!, limit)).map(({ name }) => name);
    expect(await namesOf(2)).toEqual(['default', 'b', 'c']);
    expect(await namesOf(5)).toEqual(['default', 'a', 'b', 'c']);
  });

  test('are all revoked, however many calls race, and cannot be pinned; links made later open', async () => {
    const others = [await add('a'), await add('b'), await add('c')];
    const [alone, ...together] = [others[0]!, deck, ...others.slice(1)];
    await unshare({ tokenId: alone.tokenId });
    const { revokedTokenIds, alreadyRevoked } = await unshare({ all: true });
    expect([revokedTokenIds.sort(), alreadyRevoked]).toEqual([idsOf(together), [alone.tokenId]]);
    expect(await Promise.all([deck, ...others].map(look))).toEqual([403, 403, 403, 403]);
    for (const { tokenId } of [alone, deck]) expect(await refusal(mode(tokenId, pinned))).toEqual([409, 'conflict']);
    const fresh = await add('fresh');
    expect(await look(fresh)).toBe('one');
    const { tokens, primaryShareUrl } = await info();
    expect(idsOf(tokens.filter(({ revoked }) => !revoked))).toEqual([fresh.tokenId]);
    expect(tokens.filter(({ revoked, revokedAt }) => revoked !== (revokedAt !== null))).toEqual([]);
    expect(primaryShareUrl).toBe(fresh.shareUrl);
    await add('other');
    const answers = await atOnce(3, () => unshare({ all: true }));
    expect(answers.map(({ revokedTokenIds }) => revokedTokenIds.length).sort()).toEqual([0, 0, 2]);
    expect(new Set(answers.map(({ revokedAt }) => revokedAt)).size).toBe(1);
  });

  test('are all revoked, also a link made by an instance whose clock is ahead', async () => {
    passSeconds(30);
    const ahead = await add('made half a minute ahead');
    jest.useRealTimers();
    const { revokedTokenIds } = await unshare({ all: true });
    expect(revokedTokenIds.sort()).toEqual(idsOf([deck, ahead]));
    expect([await look(deck), await look(ahead)]).toEqual([403, 403]);
    // A link made now must be newer than all revoked links, whatever the instance's clock says.
    const fresh = await add('fresh');
    expect(await look(fresh)).toBe('one');
    expect((await info()).primaryShareUrl).toBe(fresh.shareUrl);
  });

  test('revoked together stay hidden when a newer link is revoked alone', async () => {
    await unshare({ all: true });
    const [fresh, other] = [await add('fresh'), await add('other')];
    await unshare({ tokenId: fresh.tokenId });
    expect((await info()).primaryShareUrl).toBe(other.shareUrl);
    await unshare({ tokenId: other.tokenId });
    expect([(await info()).primaryShareUrl, (await next()).shareUrl]).toEqual([null, null]);
  });

  test('show the first that opens: in the list, in the info and after a push', async () => {
    const shown = async () => [(await row()).shareUrl, (await info()).primaryShareUrl, (await next()).shareUrl];
    const [first, last] = [await addPinned('pinned'), await add('last')];
    expect(await shown()).toEqual(Array(3).fill(deck.shareUrl));
    await unshare({ tokenId: deck.tokenId });
    // A push returns a link that follows the latest version. The list and the info return the first link that opens.
    expect(await shown()).toEqual([first.shareUrl, first.shareUrl, last.shareUrl]);

    await succeed(mode(first.tokenId, latest));
    expect(await shown()).toEqual(Array(3).fill(first.shareUrl));
    await unshare({ all: true });
    expect(await shown()).toEqual([null, null, null]);
    const { shareUrl } = await addPinned('pinned alone');
    expect(await shown()).toEqual([shareUrl, shareUrl, null]);
  });
});

describe('a renamed deck', () => {
  const rename = (title: string) => call<{ title: string }>('renamePresentation', { title });

  test('has its new title everywhere but in its versions and its listing, and the same time of change', async () => {
    const { slug } = await world.aListing(owner, {}, deck);
    const before = await row();
    expect((await succeed(rename('  Sales, Q3 '))).title).toBe('Sales, Q3');
    expect(await row()).toEqual({ ...before, title: 'Sales, Q3' });
    expect((await info()).title).toBe('Sales, Q3');
    const { versions } = await get<{ versions: { title: string }[] }>('listPresentationVersions');
    expect(versions.map(({ title }) => title)).toEqual(['A deck']);
    expect((await get<{ title: string }>('getMarketplaceListing', { slug })).title).toBe('A deck');
    expect((await rename('  ')).status).toBe(400);
  });

  test('keeps the title at a commit without one, and takes that of a commit and of a restored version', async () => {
    await succeed(rename('Sales'));
    for (const [title, change] of [
      ['Sales', () => next()],
      ['Costs', () => next({ title: 'Costs' })],
      ['A deck', restore],
    ] as const) {
      await change();
      expect((await row()).title).toBe(title);
    }
  });
});

test('a renamed link of a recipient stays personal, and one for everybody never becomes personal', async () => {
  const rename = (tokenId: string, name: string) => succeed(call('updateShareToken', { tokenId, name }));
  await rename(deck.tokenId, 'for a@example.org');
  await succeed(mode(deck.tokenId, pinned));
  expect((await row()).shareUrlIsPersonal).toBeUndefined();
  const mail = { emails: ['grace@example.org'] };
  const { sent } = await succeed(call<{ sent: Link[] }>('sharePresentationViaEmail', mail));
  await rename(sent[0]!.tokenId, 'Grace');
  await unshare({ tokenId: deck.tokenId });
  expect((await row()).shareUrlIsPersonal).toBe(true);
  const [everybody, personal] = (await info()).tokens;
  expect([everybody!.name, everybody!.isPersonal]).toEqual(['for a@example.org', undefined]);
  expect(personal).toMatchObject({ name: 'Grace', isPersonal: true });
});

describe('the list of decks', () => {
  test('counts the links that are not revoked, through adds, mails, revocations and races', async () => {
    const links = async () => (await row()).activeLinks;
    expect(await links()).toBe(1);
    const [revoked, follows] = await atOnce(4, (i) => add(`link ${i}`));
    expect(await links()).toBe(5);
    await succeed(call('sharePresentationViaEmail', { emails: ['ada@example.org', 'alan@example.org'] }));
    expect(await links()).toBe(7);
    await atOnce(3, () => unshare({ tokenId: revoked!.tokenId }));
    await succeed(mode(follows!.tokenId, pinned));
    expect(await links()).toBe(6);
    await unshare({ all: true });
    expect(await links()).toBe(0);
  });

  test('has the picture of the current version, and the listing', async () => {
    deck = await world.aDeck(owner, [page('one'), pictureFile('thumbnail.png')]);
    await makePictures();
    const { picture, listing } = await row();
    expect(picture).toMatchObject({ contentType: 'image/jpeg' });
    expect(listing).toBeNull();
    const { slug } = await world.aListing(owner, {}, deck);
    const listed = { picture, listing: { slug, status: 'public' } };
    expect([await row(), await info()]).toMatchObject([listed, listed]);
    await world.uploadAll(owner, deck, [page('two')]);
    await next();
    expect((await row()).picture).toBeNull();
    await restore();
    expect((await row()).picture).toEqual(picture);
  });

  test('tells like the info why all links are closed', async () => {
    const stored = world.database.doc(`presentations/${deck.presentationId}`);
    const closure = async () => {
      const [own, listed] = [await info(), await row()];
      expect([listed.closed, listed.expiresAt]).toEqual([own.closed, own.expiresAt]);
      return [own.closed, own.takedown, own.listingSlug];
    };
    expect(await closure()).toEqual([null, null, null]);
    await stored.update({ expiresAt: new Date(Date.now() - 1), listingSlug: 'quarter' });
    expect(await closure()).toEqual(['expired', null, 'quarter']);
    await stored.update({ takedown: { at: new Date(0), reason: 'A copy', withSources: ['x'] } });
    const takenDown = ['taken-down', { at: '1970-01-01T00:00:00.000Z', reason: 'A copy' }, 'quarter'];
    expect(await closure()).toEqual(takenDown);
    await stored.update({ expiresAt: null });
    expect(await closure()).toEqual(takenDown);
  });
});

test('the info counts the views of each link separately', async () => {
  const other = await addPinned('other');
  for (const link of [deck, deck, other]) await world.visit(urlOf(link));
  await unshare({ tokenId: other.tokenId });
  const { totalViews, tokens } = await info();
  expect(totalViews).toBe(3);
  const lastAccessedAt = expect.any(String) as string;
  const open = { name: 'default', accessCount: 2, revoked: false, revokedAt: null, versionMode: latest };
  const revoked = { name: 'other', accessCount: 1, revoked: true, versionMode: pinned };
  const rowOf = ({ tokenId, shareUrl }: Link) => ({ tokenId, shareUrl, lastAccessedAt });
  expect(tokens).toMatchObject([
    { ...rowOf(deck), ...open },
    { ...rowOf(other), ...revoked },
  ]);
});

test('setPresentationExpiry closes every link at the expiry time, and null opens them again', async () => {
  const { presentationId } = deck;
  const set = (expiresAt: unknown) => call('setPresentationExpiry', { expiresAt });
  const soon = new Date(Date.now() + 60_000).toISOString();
  expect(await succeed(set(soon))).toEqual({ presentationId, expiresAt: soon });
  expect(await look(deck)).toBe('one');
  passSeconds(61);
  expect(await look(deck)).toBe(410);
  expect(await succeed(set(null))).toEqual({ presentationId, expiresAt: null });
  expect(await look(deck)).toBe('one');
  const past = new Date(Date.now() - 1).toISOString();
  for (const bad of [past, '9999-12-31T23:59:59-14:00']) expect((await set(bad)).status).toBe(400);
});

test('a preview of a mail is the mail that would be sent, and sends and creates nothing', async () => {
  const texts = { message: 'Here <b>they</b> are.', subject: 'Numbers' };
  const preview = await succeed(call<Record<'subject' | 'text' | 'html', string>>('previewShareEmail', texts));
  expect((await info()).tokens).toHaveLength(1);
  expect(await world.mails('recipient@example.com')).toEqual([]);
  await succeed(call('sharePresentationViaEmail', { ...texts, emails: ['recipient@example.com'] }));
  const [mail] = await world.mails('recipient@example.com');
  const shown = ({ subject, text, html }: typeof preview) =>
    [subject, text, html].map((part) => part.replace(/token=[\w-]+/g, 'token=').replace(/\/mail\/[\w-]+/g, '/mail/'));
  expect(shown(preview)).toEqual(shown(mail!));
  expect(mail!.subject).toBe('Numbers');
});
