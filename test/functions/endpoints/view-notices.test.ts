import { digestDueAt } from '../../../functions/src/policy/view-notices';
import { dayOf } from '../../../functions/src/values/days';
import { atOnce } from '../../support/answers';
import { passSeconds } from '../../support/clock';
import { runJob } from '../../support/jobs';
import { failing } from '../../support/mail-gateway';
import { deck, gateway, owner, startMailing } from '../../support/mailing';
import { aReader } from '../../support/views';
import { succeed, world, type Account, type Deck } from '../../support/world';

/** The mails that tell an owner of the first view of a link. */

startMailing('pro', 'Plans');

interface Link {
  tokenId: string;
  shareUrl: string;
}
let links = 0;
/** A link with a name of its own. */
const aLink = (rules: object = { notify: 'first' }, of: Account & Deck = { ...owner, ...deck }) =>
  succeed(
    world.call<Link>(
      'addPresentationToken',
      { presentationId: of.presentationId, tokenName: `Link ${++links}`, versionMode: { type: 'latest' }, ...rules },
      { key: of.key },
    ),
  );
const view = async (link: Link) => (await (await aReader(link)).load()).tell();
const run = () => runJob('sendViewNotices');
const mailsTo = async (to = owner.email) => (await world.mails(to)).filter(({ subject }) => /view/.test(subject));
const rowOf = async ({ tokenId }: Link) => {
  const { tokens } = await succeed(
    world.call<{ tokens: { tokenId: string; notify: string }[] }>('getSharedPresentationInfo', undefined, {
      key: owner.key,
      path: `/${deck.presentationId}`,
    }),
  );
  return tokens.find((token) => token.tokenId === tokenId);
};
const stored = async () =>
  (await Promise.all(['viewNotices', 'noticeDays'].map((name) => world.database.collection(name).get()))).map(
    ({ docs }) => docs.map((each) => each.data()),
  );
/** An owner without mails of the day. */
const anOwner = async () => {
  const account = await world.anOwner('pro');
  return { ...account, ...(await world.aDeck(account)) };
};
const noticed = (link: string) => expect.stringContaining(`The link “${link}” was first viewed on`) as string;

test('the first view of a link is mailed to the owner once, by the job, however many readers and runs race', async () => {
  const of = await anOwner();
  const link = await aLink({ notify: 'first' }, of);
  await atOnce(3, () => view(link));
  expect(await mailsTo(of.email)).toEqual([]);
  await atOnce(3, run);
  await view(link);
  await run();
  expect(await mailsTo(of.email)).toMatchObject([
    {
      subject: '“A deck” was viewed',
      text: noticed(`Link ${links}`),
      headers: { 'List-Unsubscribe': expect.any(String) as string },
    },
  ]);
  expect((await stored())[0]).toEqual([]);
});

test('a link that does not ask for it is not mailed, and neither is one whose owner has changed it meanwhile', async () => {
  const of = await anOwner();
  await view(await aLink({}, of));
  const link = await aLink({ notify: 'first' }, of);
  await view(link);
  const set = (notify: string) =>
    succeed(
      world.call(
        'updateShareToken',
        { presentationId: of.presentationId, tokenId: link.tokenId, notify },
        { key: of.key },
      ),
    );
  await set('never');
  await run();
  expect(await mailsTo(of.email)).toEqual([]);
  await set('first');
  await view(link);
  await run();
  expect(await mailsTo(of.email)).toHaveLength(1);
});

test('the mail names the address that a link was mailed to, and forgets it with the view', async () => {
  const of = await anOwner();
  const email = `reader-${of.userId.toLowerCase()}@example.com`;
  const share = { presentationId: of.presentationId, emails: [email], notify: 'first' };
  const { sent } = await succeed(
    world.call<{ sent: { shareUrl: string; tokenId: string }[] }>('sharePresentationViaEmail', share, { key: of.key }),
  );
  await view(sent[0]!);
  expect(JSON.stringify(await stored())).not.toContain(email);
  await run();
  const [mail] = await mailsTo(of.email);
  expect(mail!.text).toContain(`The link that was mailed to ${email} was first viewed on`);
  expect(mail!.text).toContain(`/dashboard/decks/${of.presentationId}/insights`);
});

test('a run that was cut off or refused sends the mail later, and an accepted mail is not sent again', async () => {
  const of = await anOwner();
  const link = await aLink({ notify: 'first' }, of);
  await view(link);
  gateway.plan(...failing(503, 'service_unavailable'));
  await run();
  await run();
  expect([gateway.calls.length, await mailsTo(of.email)]).toEqual([3, []]);
  passSeconds(601);
  await run();
  const [mail] = await mailsTo(of.email);
  // As a run leaves it that is cut off after the provider has the mail. The deck gets another title meanwhile.
  const notice = await noticeOf(of);
  const sentBefore = { claimedAt: new Date(), dueAt: new Date() };
  await world.database.doc(`viewNotices/${notice.viewId}`).set({ ...notice, ...sentBefore });
  await world.database.doc(`presentations/${of.presentationId}`).update({ title: 'Renamed' });
  await run();
  expect(await mailsTo(of.email)).toEqual([mail]);
  expect((await stored())[0]).toEqual([]);
});

test('after 20 mails in a day the other first views come in one digest after the day, grouped by deck', async () => {
  const of = await anOwner();
  const second = { ...of, ...(await world.aDeck(of, undefined, 'Second')) };
  const today = dayOf(new Date());
  const day = `${of.userId}-${today}`;
  await view(await aLink({ notify: 'first' }, of));
  await run();
  await world.database.doc(`noticeDays/${day}`).update({ sent: 20 });
  const names: string[] = [];
  for (const each of [of, second, of]) {
    await view(await aLink({ notify: 'first' }, each));
    names.push(`Link ${links}`);
  }
  await run();
  expect(await mailsTo(of.email)).toHaveLength(1);
  passSeconds((digestDueAt(today).getTime() - Date.now()) / 1000 + 1);
  await atOnce(2, run);
  await run();
  const [digest, ...others] = await mailsTo(of.email);
  expect(others).toHaveLength(1);
  expect(digest!.subject).toMatch(/^First views of 3 links on \d{4}-\d\d-\d\d$/);
  const [a, b, c] = names.map((name) => digest!.text.indexOf(`“${name}” was first viewed`));
  expect([a! > 0, a! < c!, c! < b!]).toEqual([true, true, true]);
  expect(digest!.text.match(/choice=link/g)).toHaveLength(3);
  expect((await stored()).flat().filter((each) => each['ownerId'] === of.userId)).toEqual([]);
});

describe('the links of the mail', () => {
  const aMail = async () => {
    const link = await aLink();
    await view(link);
    await run();
    const { text } = (await mailsTo())[0]!;
    return { link, off: /\S+choice=link\S+/.exec(text)![0], all: /Stop all such emails:\n(\S+)/.exec(text)![1]! };
  };
  const visit = async (url: string, method: string) => {
    const response = await fetch(url, { method });
    return [response.status, await response.text()] as const;
  };

  test('switch the mails about the link off by a POST, for the owner alone', async () => {
    const { link, off } = await aMail();
    expect(await visit(off, 'GET')).toEqual([200, expect.stringContaining('Stop emails about this link')]);
    expect(await rowOf(link)).toMatchObject({ notify: 'first' });
    for (let i = 0; i < 2; i++)
      expect(await visit(off, 'POST')).toEqual([200, expect.stringContaining('no more emails about this link')]);
    expect(await rowOf(link)).toMatchObject({ notify: 'never' });
    // The link of a mail to a reader of the deck.
    const email = 'grace.reader@example.com';
    await succeed(
      world.call(
        'sharePresentationViaEmail',
        { presentationId: deck.presentationId, emails: [email] },
        { key: owner.key },
      ),
    );
    const page = /\S+\/mail\/[\w-]{86}/.exec((await world.mails(email))[0]!.text)![0];
    const other = await aLink();
    expect((await visit(`${page}?choice=link&tokenId=${other.tokenId}`, 'POST'))[0]).toBe(404);
    expect(await rowOf(other)).toMatchObject({ notify: 'first' });
  });

  test('stop all such mails, as those of other mails do', async () => {
    const { all } = await aMail();
    expect((await visit(all, 'POST'))[0]).toBe(200);
    const before = await mailsTo();
    await view(await aLink());
    await run();
    expect(await mailsTo()).toHaveLength(before.length);
    expect((await visit(`${all}?choice=resume`, 'POST'))[0]).toBe(200);
  });
});

/** The fields of a notice of the only view of a deck. */
async function noticeOf({ presentationId }: Deck) {
  const { docs } = await world.database.collection(`presentations/${presentationId}/views`).get();
  const { tokenId, viewId } = docs[0]!.data() as { tokenId: string; viewId: string };
  return { presentationId, tokenId, viewId };
}
