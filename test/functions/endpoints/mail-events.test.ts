import { randomUUID } from 'node:crypto';
import { digestDueAt } from '../../../functions/src/policy/view-notices';
import { dayOf } from '../../../functions/src/values/days';
import { atOnce } from '../../support/answers';
import { passSeconds } from '../../support/clock';
import { dataOf, eventsOf } from '../../support/events';
import { invite, rows, signUp, uninvite } from '../../support/invitations';
import { runJob } from '../../support/jobs';
import { failing } from '../../support/mail-gateway';
import { aSender, deck, gateway, owner, sends, share, someone, startMailing, stored } from '../../support/mailing';
import { signedByResend } from '../../support/signed-mail-event';
import { readOnce } from '../../support/views';
import { succeed, world } from '../../support/world';

/**
 * What Resend tells of the mails, as the local Resend tells it and as others might. The mails that tell an owner of the
 * first view of a link.
 */

startMailing('pro', 'Plans');
// What the mails of earlier tests still have to tell.
beforeEach(() => told());

const DAY_SECONDS = 86_400;
const secret = () => process.env['RESEND_WEBHOOK_SECRET']!;
function told() {
  return world.cloud.mailEvents.runDue();
}
const stateOf = async (email: string) =>
  (await sends()).filter((each) => each['email'] === email).map(({ delivery }) => delivery);
const aBounce = () => `bounce@${randomUUID()}.example.org`;
const aComplaint = () => `complaint@${randomUUID()}.example.org`;
const codeOf = async (email: string, { key, presentationId } = { ...owner, ...deck }) => {
  const { failed } = await succeed(share([email], { presentationId }, {}, key));
  return failed[0]?.code ?? 'sent';
};

interface Told {
  type?: string;
  messageId?: string;
  to?: string;
  id?: string;
  at?: Date;
  signedAt?: Date;
  with?: string;
  tags?: Record<string, string>;
  more?: object;
}

/** A call as Resend makes it. */
function tell({ type = 'email.delivered', messageId = randomUUID(), to = someone(), tags = {}, ...of }: Told) {
  const { id = `msg_${randomUUID()}`, at = new Date(), signedAt = new Date() } = of;
  const data = { email_id: messageId, from: 'decks@example.org', to: [to], subject: 'x', tags, ...of.more };
  const body = JSON.stringify({ type, created_at: at.toISOString(), data });
  return send(body, signedByResend(body, { id, at: signedAt, secret: of.with ?? secret() }));
}

async function send(body: string, headers: Record<string, string>): Promise<number> {
  const init = { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body };
  return (await fetch(`${world.cloud.baseUrl}/receiveMailEvents`, init)).status;
}

/** The tags of the mail that was sent last. */
const lastTags = (): Record<string, string> => {
  const { tags } = gateway.calls.at(-1)!.mails[0] as { tags: { name: string; value: string }[] };
  return Object.fromEntries(tags.map(({ name, value }) => [name, value]));
};

describe('what became of a mail', () => {
  test.each([
    ['delivered', someone(), null],
    ['bounced', aBounce(), "The recipient's mail server refused the mail: the mailbox does not exist."],
    ['complained', aComplaint(), null],
    ['failed', 'suppressed@resend.dev', 'The address is on the suppression list, because it refused a mail before.'],
  ] as const)('is in the list of sent mails and an event: %s', async (state, email, reason) => {
    await succeed(share([email]));
    expect(await stateOf(email)).toEqual([null]);
    const events = await eventsOf(owner, told);
    const delivery = { state, at: expect.any(String) as string, reason };
    expect(await stateOf(email)).toEqual([delivery]);
    expect(events.at(-1)).toMatchObject({ type: `email.${state}`, actor: { kind: 'system' } });
    const send = { email, outcome: 'sent', delivery };
    expect(dataOf(events, `email.${state}`)).toMatchObject({ title: 'Plans', send });
  });

  test('is told once, however often and in whatever order it arrives', async () => {
    const email = someone();
    const { sent } = await succeed(share([email]));
    const of = { messageId: sent[0]!.resendMessageId, to: email, tags: lastTags() };
    const now = Date.now();
    const delivered = { ...of, id: `msg_${randomUUID()}`, at: new Date(now - 1000) };
    const delayed = { ...of, type: 'email.delivery_delayed', at: new Date(now - 2000) };
    const events = await eventsOf(owner, async () => {
      const [first, ...again] = [await tell(delivered), ...(await atOnce(2, () => tell(delivered)))];
      expect([first, ...again, await tell(delayed)]).toEqual([204, 204, 204, 204]);
    });
    expect(events.map(({ type }) => type)).toEqual(['email.delivered']);
    expect(await stateOf(email)).toMatchObject([{ state: 'delivered' }]);
  });

  test('before its record is written is told again later, and is ignored after an hour', async () => {
    await succeed(share([someone()]));
    const tags = lastTags();
    expect(await tell({ tags })).toBe(409);
    expect(await tell({ tags, at: new Date(Date.now() - 3_700_000) })).toBe(204);
    expect(await stored('emailEvents')).toEqual([]);
  });

  test('of a deleted deck, of another type and of a mail of another sender writes nothing', async () => {
    const email = someone();
    const { sent } = await succeed(share([email]));
    const of = { messageId: sent[0]!.resendMessageId, to: email, tags: lastTags() };
    expect(await tell({ ...of, type: 'email.opened' })).toBe(204);
    expect(await tell({ ...of, tags: {} })).toBe(204);
    expect(await tell({ ...of, tags: { ...of.tags, mail: 'A'.repeat(86) } })).toBe(204);
    await succeed(world.call('deletePresentation', { presentationId: deck.presentationId }, owner));
    expect(await tell(of)).toBe(204);
    expect(await stored('emailEvents')).toEqual([]);
  });
});

describe('a call of receiveMailEvents', () => {
  test.each([
    ['with another secret', { with: `whsec_${Buffer.from('another secret').toString('base64')}` }, 401],
    ['that was signed 6 minutes ago', { signedAt: new Date(Date.now() - 360_000) }, 401],
    ['that was signed 4 minutes ago', { signedAt: new Date(Date.now() - 240_000) }, 204],
  ] as const)('%s', async (_name, how, status) => expect(await tell(how)).toBe(status));

  test('without a signature, or with that of another body, is refused', async () => {
    expect(await send('{}', {})).toBe(401);
    const headers = signedByResend('{"a":1}');
    expect([await send('{"a":1}', headers), await send('{"a":2}', headers)]).toEqual([204, 401]);
  });

  test('is taken with each secret while the secret is changed, and with none when there is none', async () => {
    const old = secret();
    const added = `whsec_${Buffer.from(randomUUID()).toString('base64')}`;
    try {
      process.env['RESEND_WEBHOOK_SECRET'] = `${added}\n${old}`;
      expect([await tell({ with: added }), await tell({ with: old })]).toEqual([204, 204]);
      process.env['RESEND_WEBHOOK_SECRET'] = 'none';
      expect(await tell({ with: old })).toBe(401);
    } finally {
      process.env['RESEND_WEBHOOK_SECRET'] = old;
    }
  });
});

describe('an address that refused a mail', () => {
  test('gets no mails for 30 days, then one more, and codes always', async () => {
    const email = aBounce();
    await succeed(share([email]));
    await told();
    const other = await aSender();
    expect([await codeOf(email), await codeOf(email, other)]).toEqual(['recipient-suppressed', 'recipient-suppressed']);
    await succeed(invite(email));
    expect(await world.mails(email)).toHaveLength(1);
    await succeed(world.call('cliRequestSignupOtp', { email }));
    expect(await world.mails(email)).toHaveLength(2);
    passSeconds(30 * DAY_SECONDS + 1);
    expect(await codeOf(email)).toBe('sent');
    await told();
    expect(await codeOf(email)).toBe('recipient-suppressed');
  });

  test('gets mails again when one of its codes is used, and a bounce from before stops nothing', async () => {
    const email = aBounce();
    await succeed(share([email]));
    await told();
    const [at, more] = [new Date(), { bounce: { message: 'x', type: 'Permanent' } }];
    passSeconds(60);
    await signUp(email);
    expect(await tell({ type: 'email.bounced', to: email, at, more })).toBe(204);
    expect(await codeOf(email)).toBe('sent');
  });

  test('for a while only is mailed again', async () => {
    const email = someone();
    const { sent } = await succeed(share([email]));
    const more = { bounce: { message: `${email} is over quota`, type: 'Transient' } };
    const of = { messageId: sent[0]!.resendMessageId, to: email, tags: lastTags() };
    expect(await tell({ ...of, type: 'email.bounced', more })).toBe(204);
    expect(await stateOf(email)).toMatchObject([{ state: 'bounced', reason: 'the address is over quota' }]);
    expect(await codeOf(email)).toBe('sent');
  });

  test('is told to the sender once, also when the first mail about it failed', async () => {
    const email = aBounce();
    await succeed(share([email]));
    gateway.plan(...failing(500, 'internal_server_error'));
    await told();
    expect(await world.mails(owner.email)).toEqual([]);
    await told();
    await told();
    const mails = await world.mails(owner.email);
    expect(mails.map(({ subject }) => subject)).toEqual([`Your email to ${email} did not arrive`]);
    expect(mails[0]!.text).toContain(`/dashboard/decks/${deck.presentationId}/mails`);
  });
});

test('an invitation that bounced says so in the list of collaborators, and its sender is told once', async () => {
  const email = aBounce();
  await succeed(invite(email));
  const invited = async () => (await rows()).find((row) => row.email === email);
  expect(await invited()).toMatchObject({ status: 'pending', delivery: null });
  const bounce = { type: 'email.bounced', to: email, tags: lastTags(), more: { bounce: { message: 'x', type: 'x' } } };
  // Of the invitation before this one.
  expect(await tell({ ...bounce, at: new Date(Date.now() - 60_000) })).toBe(204);
  expect(await invited()).toMatchObject({ delivery: null });
  await told();
  expect(await tell({ ...bounce, at: new Date(Date.now() + 1000) })).toBe(204);
  expect(await invited()).toMatchObject({ delivery: { state: 'bounced' } });
  const mails = await world.mails(owner.email);
  expect(mails.map(({ subject }) => subject)).toEqual([`Your email to ${email} did not arrive`]);
  expect(mails[0]!.text).toContain(`/dashboard/decks/${deck.presentationId}/people`);
  await succeed(uninvite({ email }));
  expect(await tell({ ...bounce, type: 'email.complained', at: new Date(Date.now() + 2000) })).toBe(204);
  expect(await invited()).toMatchObject({ status: 'revoked', delivery: { state: 'bounced' } });
});

test('who complains gets no more mails of that organization, and after three organizations none but codes', async () => {
  const email = aComplaint();
  const [one, two, three] = [await aSender(), await aSender(), await aSender()];
  expect(await codeOf(email)).toBe('sent');
  await told();
  const page = /\S+\/mail\/[\w-]{86}/.exec((await world.mails(email))[0]!.text)![0];
  await fetch(`${page}?choice=resume`, { method: 'POST' });
  expect(await codeOf(email)).toBe('sent');
  await told();
  expect([await codeOf(email), await codeOf(email, one)]).toEqual(['recipient-suppressed', 'sent']);
  expect(await codeOf(email, two)).toBe('sent');
  await told();
  expect(await codeOf(email, three)).toBe('recipient-suppressed');
  passSeconds(60);
  await signUp(email);
  expect([await codeOf(email, three), await codeOf(email)]).toEqual(['sent', 'recipient-suppressed']);
});

test('a page of the list of mails has the states of its mails', async () => {
  await succeed(share([someone(), aBounce(), 'no address']));
  await told();
  const states = (await sends()).map(({ delivery }) => (delivery as { state: string } | null)?.state);
  expect(states.sort()).toEqual(['bounced', 'delivered', undefined]);
});

type Link = Record<'tokenId' | 'shareUrl', string>;
let links = 0;
/** A link with a name of its own, whose first view is mailed. */
const aLink = ({ key, presentationId } = { ...owner, ...deck }, rules: object = { notify: 'first' }) => {
  const input = { presentationId, tokenName: `Link ${++links}`, ...rules };
  return succeed(world.call<Link>('addPresentationToken', input, { key }));
};
const run = () => runJob('sendViewNotices');
const mailsTo = async (to = owner.email) => (await world.mails(to)).filter(({ subject }) => /view/.test(subject));
const rowOf = ({ tokenId }: Link) => {
  const query = { presentationId: deck.presentationId, tokenId };
  return succeed(world.call('getShareToken', undefined, { key: owner.key, query }));
};
/** The notices of single views, and those of days. */
const notices = async () => {
  const found = ['viewNotices', 'noticeDays'].map((name) => world.database.collection(name).get());
  return (await Promise.all(found)).map(({ docs }) => docs.map((each) => each.data()));
};

test('the first view of a link is mailed to the owner once, by the job, however many readers and runs race', async () => {
  const of = await aSender();
  const link = await aLink(of);
  await atOnce(3, () => readOnce(link));
  expect(await mailsTo(of.email)).toEqual([]);
  await atOnce(3, run);
  await readOnce(link);
  await run();
  const text = expect.stringContaining(`The link “Link ${links}” was first viewed on`) as string;
  const headers = { 'List-Unsubscribe': expect.any(String) as string };
  expect(await mailsTo(of.email)).toMatchObject([{ subject: '“A deck” was viewed', text, headers }]);
  expect((await notices())[0]).toEqual([]);
});

test('a link that does not ask for it is not mailed, and neither is one whose owner has changed it meanwhile', async () => {
  const of = await aSender();
  await readOnce(await aLink(of, {}));
  const link = await aLink(of);
  await readOnce(link);
  const { presentationId } = of;
  const set = (notify: string) =>
    succeed(world.call('updateShareToken', { presentationId, tokenId: link.tokenId, notify }, of));
  await set('never');
  await run();
  expect(await mailsTo(of.email)).toEqual([]);
  await set('first');
  await readOnce(link);
  await run();
  expect(await mailsTo(of.email)).toHaveLength(1);
});

test('the mail names the address that a link was mailed to, and forgets it with the view', async () => {
  const of = await aSender();
  const email = `reader-${of.userId.toLowerCase()}@example.com`;
  const { sent } = await succeed(share([email], { presentationId: of.presentationId, notify: 'first' }, {}, of.key));
  await readOnce(sent[0]!);
  expect(JSON.stringify(await notices())).not.toContain(email);
  await run();
  const [mail] = await mailsTo(of.email);
  expect(mail!.text).toContain(`The link that was mailed to ${email} was first viewed on`);
  expect(mail!.text).toContain(`/dashboard/decks/${of.presentationId}/insights`);
});

test('a run that was cut off or got no answer sends the mail later, and an accepted or refused one is not sent again', async () => {
  const of = await aSender();
  await readOnce(await aLink(of));
  gateway.plan(...failing(503, 'service_unavailable'));
  await run();
  await run();
  expect([gateway.calls.length, await mailsTo(of.email)]).toEqual([3, []]);
  passSeconds(601);
  await run();
  const [mail] = await mailsTo(of.email);
  // As a run leaves it that is cut off after the provider has the mail. The deck gets another title meanwhile.
  const { docs } = await world.database.collection(`presentations/${of.presentationId}/views`).get();
  const { presentationId, tokenId, viewId } = docs[0]!.data();
  const notice = { presentationId, tokenId, viewId, claimedAt: new Date(), dueAt: new Date() };
  await world.database.doc(`viewNotices/${viewId}`).set(notice);
  await world.database.doc(`presentations/${of.presentationId}`).update({ title: 'Renamed' });
  await run();
  expect(await mailsTo(of.email)).toEqual([mail]);
  expect((await notices())[0]).toEqual([]);
  await readOnce(await aLink(of));
  gateway.plan(...failing(422, 'validation_error'));
  await run();
  expect((await notices())[0]).toEqual([]);
});

test('after 20 mails in a day the other first views come in one digest after the day, grouped by deck', async () => {
  const of = await aSender();
  const second = { ...of, ...(await world.aDeck(of, undefined, 'Second')) };
  const today = dayOf(new Date());
  const day = `${of.userId}-${today}`;
  await readOnce(await aLink(of));
  await run();
  await world.database.doc(`noticeDays/${day}`).update({ sent: 20 });
  const names: string[] = [];
  for (const each of [of, second, of]) {
    await readOnce(await aLink(each));
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
  expect((await notices()).flat().filter((each) => each['ownerId'] === of.userId)).toEqual([]);
});

describe('the links of a mail about a view', () => {
  const aMail = async () => {
    const link = await aLink();
    await readOnce(link);
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
    await succeed(share([email]));
    const page = /\S+\/mail\/[\w-]{86}/.exec((await world.mails(email))[0]!.text)![0];
    const other = await aLink();
    expect((await visit(`${page}?choice=link&tokenId=${other.tokenId}`, 'POST'))[0]).toBe(404);
    expect(await rowOf(other)).toMatchObject({ notify: 'first' });
  });

  test('stop all such mails, as those of other mails do', async () => {
    const { all } = await aMail();
    expect((await visit(all, 'POST'))[0]).toBe(200);
    const before = await mailsTo();
    await readOnce(await aLink());
    await run();
    expect(await mailsTo()).toHaveLength(before.length);
    expect((await visit(`${all}?choice=resume`, 'POST'))[0]).toBe(200);
  });
});
