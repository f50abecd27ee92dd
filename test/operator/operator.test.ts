import { randomUUID } from 'node:crypto';
import { runJob } from '../support/jobs';
import { storedObjects } from '../support/whole-store';
import { type Account, type Deck, blob, page, sha256, startWorld, succeed, world } from '../support/world';
import { actionsOn, done, operator, refused } from './fixture';

let owner: Account;
let deck: Deck;
let publisher: Account;

startWorld(async () => {
  owner = await world.anOwner();
  deck = await world.aDeck(owner);
  publisher = await world.aPublisher();
});

const verify = (key: string) => world.call('verifyApiKey', undefined, { key });

test('an admin key passes every check until it is revoked; its raw value is not stored', async () => {
  const life = ['--expires-in-days', '7', '--reason', 'ticket 12'];
  const { raw, keyId } = await done<{ raw: string; keyId: string }>('mint-admin-key', '--name', 'support', ...life);
  expect((await verify(raw)).data).toMatchObject({ type: 'admin-api-key', keyName: 'support' });
  const query = { presentationId: deck.presentationId };
  expect((await world.call('getSharedPresentationInfo', undefined, { key: raw, query })).status).toBe(200);
  const stored = (await world.database.doc(`apiKeys/${sha256(raw)}`).get()).data()!;
  expect(JSON.stringify(stored)).not.toContain(raw);
  expect(stored['expiresAt'].toMillis() - stored['createdAt'].toMillis()).toBe(7 * 86_400_000);
  expect(await done('revoke-key', '--key-id', keyId)).toMatchObject({ status: 'revoked', kind: 'admin' });
  expect((await verify(raw)).status).toBe(401);
  expect(await actionsOn(keyId)).toMatchObject([
    { action: 'mint-admin-key', operator: 'grace', reason: 'ticket 12' },
    { action: 'revoke-key', operator: 'grace', reason: null },
  ]);
  expect(JSON.stringify(await actionsOn(keyId))).not.toContain(raw);
});

test('a prefix revokes a key of an organization, unless several keys share the prefix', async () => {
  const other = await world.anOwner();
  const { keyPrefix } = (await world.database.doc(`apiKeys/${sha256(other.key)}`).get()).data()!;
  const twin = world.database.doc('apiKeys/twin');
  await twin.set({ ...(await world.database.doc(`apiKeys/${sha256(other.key)}`).get()).data(), keyId: 'twin' });
  expect(await refused('revoke-key', '--prefix', keyPrefix)).toContain(other.keyId);
  expect((await verify(other.key)).status).toBe(200);
  await twin.delete();
  expect(await done('revoke-key', '--prefix', keyPrefix)).toMatchObject({ keyId: other.keyId, kind: 'organization' });
  expect((await verify(other.key)).status).toBe(401);
});

test('export-account makes an export on request, with its record, and show export names its objects', async () => {
  const { organizationId, email } = await world.anOwner();
  const asked = await done<{ exportId: string }>(
    ...['export-account', '--email', email, '--reason', 'request of the person'],
  );
  expect(asked).toMatchObject({ organizationId, status: 'waiting' });
  await runJob('exportAccounts');
  const shown = await done<{ parts: { objectName: string }[] }>('show', 'export', '--organization', organizationId);
  expect(shown).toMatchObject({ status: 'ready', exportId: asked.exportId });
  expect(await storedObjects(`exports/${organizationId}/`)).toEqual([`bucket:${shown.parts[0]!.objectName}`]);
  expect(await actionsOn(organizationId)).toMatchObject([
    { action: 'export-account', operator: 'grace', reason: 'request of the person' },
    { action: 'show export', reason: null },
  ]);
  // The person did not ask the service.
  expect(await world.mails(email)).toEqual([]);
});

test('delete-account begins the deletion of an account on request, with its record without the address; a dry run lists it', async () => {
  const person = await world.anOwner();
  const { organizationId, email, key } = person;
  const { presentationId } = await world.aDeck(person, [page('Mine')], 'Mine');
  const command = ['delete-account', '--email', email] as const;
  const why = ['--reason', 'request of the person'] as const;
  expect((await operator([...command, '--project', 'demo-decks', '--yes'])).code).toBe(2);
  const listed = await done(...command, ...why, '--dry-run');
  expect(listed).toMatchObject({ organizationId, decks: [{ presentationId, title: 'Mine' }], apiKeys: 1, webhooks: 0 });
  expect((await verify(key)).status).toBe(200);
  expect(await done(...command, ...why)).toEqual({ organizationId, status: 'deleting' });
  expect((await verify(key)).status).toBe(401);
  await runJob('deleteAccounts');
  expect((await world.mails(email)).map(({ subject }) => subject)).toEqual(['Your account is being deleted']);
  expect((await world.database.doc(`presentations/${presentationId}`).get()).exists).toBe(false);
  expect(await refused('delete-account', '--organization', organizationId, ...why)).toContain('being deleted already');
  const actions = await actionsOn(organizationId);
  const by = { operator: 'grace', reason: 'request of the person' };
  expect(actions).toMatchObject([
    { action: 'delete-account --dry-run', ...by },
    { action: 'delete-account', ...by },
  ]);
  expect(JSON.stringify(actions)).not.toContain(email);
});

test("set-plan finds an organization by its id or its owner's address", async () => {
  const { organizationId, email } = owner;
  const plan = async () => (await world.database.doc(`organizations/${organizationId}`).get()).get('plan') as string;
  const changed = await done('set-plan', '--email', email.toUpperCase(), '--plan', 'pro');
  expect(changed).toMatchObject({ plan: 'pro', planBefore: 'free' });
  expect(await plan()).toBe('pro');
  await done('set-plan', '--organization', organizationId, '--plan', 'free');
  expect(await plan()).toBe('free');
  const actions = (await actionsOn(organizationId)).map(({ action }) => action);
  expect(actions).toEqual(['set-plan pro', 'set-plan free']);
});

test('every link of a deck that is taken down answers 410, new links too; the owner keeps the files; put-back opens the links', async () => {
  const { presentationId } = deck;
  await done('take-down', '--presentation', presentationId, '--reason', 'phishing');
  const mine = { key: owner.key };
  await world.call('setPresentationExpiry', { presentationId, expiresAt: null }, mine);
  const fresh = (await world.call<{ token: string }>('addPresentationToken', { presentationId, tokenName: 'x' }, mine))
    .data;
  for (const token of [deck.token, fresh.token]) {
    expect(await world.visit(world.viewUrl({ presentationId, token }))).toBe(410);
    expect(await world.visit(`${world.cloud.baseUrl}/sharePage/${presentationId}?token=${token}`)).toBe(410);
  }
  expect(await world.visit(world.viewUrl({ presentationId, token: 'x'.repeat(64) }))).toBe(404);
  const file = { presentationId, sha256: sha256(page().bytes) };
  expect((await world.call('downloadPresentationAsset', undefined, { ...mine, query: file })).status).toBe(200);
  expect(await actionsOn(presentationId)).toMatchObject([{ action: 'take-down', reason: 'phishing' }]);
  await done('put-back', '--presentation', presentationId);
  expect(await world.visit(world.viewUrl(deck))).toBe(200);
});

/** Whether the public list contains the listing, and the status of a view. */
const seen = async (slug: string) => {
  const { listings } = (await world.call<{ listings: { slug: string }[] }>('listMarketplaceListings')).data;
  const { status } = await world.call('recordMarketplaceView', { slug });
  return [listings.some((each) => each.slug === slug), status];
};
const shown = [true, 200];
const down = [false, 410];
const report = (slug: string, reason: string, from: string) =>
  world.call('reportMarketplaceListing', { slug, reason }, { headers: { 'x-forwarded-for': from } });

test('a listing is taken down and put back with its deck, or separately, which leaves the links of the deck open', async () => {
  const own = await world.aDeck(publisher);
  const { slug, presentationId } = await world.aListing(publisher, {}, own);
  const ofDeck = ['--presentation', presentationId] as const;
  const alone = ['--listing', slug] as const;
  expect(await done('take-down', ...ofDeck, '--reason', 'phishing')).toMatchObject({ listingSlug: slug });
  expect(await seen(slug)).toEqual(down);
  // The listing is down already: it stays down with its deck, whichever of both the command names again.
  for (const target of [alone, ofDeck]) {
    const takedown = { reason: 'phishing', at: expect.any(String) as string };
    expect(await done('take-down', ...target, '--reason', 'again')).toMatchObject({ takedown });
    const stored = (await world.database.doc(`listings/${slug}`).get()).get('takedown') as object;
    expect(stored).toMatchObject({ reason: 'phishing', withDeck: true });
  }
  expect(await refused('put-back', ...alone)).toContain('--presentation');
  expect(await seen(slug)).toEqual(down);
  await done('put-back', ...ofDeck);
  expect(await seen(slug)).toEqual(shown);

  const separately = await done('take-down', ...alone, '--reason', 'spam');
  expect(separately).toMatchObject({ slug, takedown: { reason: 'spam' } });
  expect([await seen(slug), await world.visit(world.viewUrl(own))]).toEqual([down, 200]);
  await done('take-down', ...ofDeck, '--reason', 'phishing');
  expect(await done('show', 'listing', ...alone)).toMatchObject({ takedown: { reason: 'spam' } });
  await done('put-back', ...ofDeck);
  expect(await seen(slug)).toEqual(down);
  await done('put-back', ...alone);
  expect(await seen(slug)).toEqual(shown);
  const last = (await actionsOn(slug)).slice(-3);
  expect(last).toMatchObject([
    { action: 'take-down', reason: 'spam' },
    { action: 'show listing' },
    { action: 'put-back' },
  ]);
});

test('a listing has its reports shown; show reports has one entry for each listing, most reporters first, until the reports are closed or deleted', async () => {
  const first = await world.aListing(publisher, { title: 'Reported' });
  const [second, third] = [await world.aListing(publisher), await world.aListing(publisher)];
  for (let i = 0; i < 5; i++) await report(first.slug, 'spam', `192.0.2.${i}`);
  await report(second.slug, 'malware', '192.0.2.1');
  await report(first.slug, 'phishing', '192.0.2.1');
  await report(third.slug, 'other', '192.0.2.1');
  type Line = { slug: string; otherReports: Record<string, number> };
  const lines = async (...args: string[]) => (await done<Line[]>('show', 'reports', ...args)).map(({ slug }) => slug);

  const [reported, newest] = await done<Line[]>('show', 'reports');
  expect(reported).toMatchObject({ slug: first.slug, title: 'Reported', otherReports: { phishing: 1, spam: 5 } });
  expect(newest).toMatchObject({ slug: third.slug, otherReports: { other: 1 }, takedown: null });
  expect(await lines()).toEqual([first.slug, third.slug, second.slug]);
  // The newest listings are shown, and the next page begins before them.
  expect(await lines('--limit', '1')).toEqual([third.slug]);
  const two = await done<{ lastReportedAt: string }[]>('show', 'reports', '--by', 'others', '--limit', '2');
  const [oldest] = two.map(({ lastReportedAt }) => lastReportedAt).sort();
  expect(await lines('--by', 'others', '--before', oldest!)).toEqual([second.slug]);
  expect(await lines('--by', 'accounts')).toEqual([]);
  expect(await done('show', 'listing', '--listing', first.slug)).toMatchObject({
    slug: first.slug,
    ownerEmail: publisher.email,
    reports: [{ reason: 'phishing' }, ...Array.from({ length: 5 }, () => ({ reason: 'spam' }))],
  });

  // take-down closes and keeps the reports. dismiss-reports and put-back delete them. A later report counts again.
  await done('take-down', '--listing', first.slug, '--reason', 'phishing');
  expect(await done('dismiss-reports', '--listing', third.slug)).toMatchObject({ dismissed: 1 });
  expect(await lines()).toEqual([second.slug]);
  const { reports } = await done<{ reports: object[] }>('show', 'listing', '--listing', first.slug);
  expect(reports.length).toBeGreaterThan(1);
  await done('put-back', '--listing', first.slug);
  expect(await lines()).toEqual([second.slug]);
  await report(third.slug, 'other', '192.0.2.1');
  await report(first.slug, 'phishing', '192.0.2.1');
  expect(await lines()).toEqual([first.slug, third.slug, second.slug]);
  // A report of an account comes first, however many newer reports without an account there are.
  await world.call('reportMarketplaceListing', { slug: second.slug, reason: 'privacy' }, { key: publisher.key });
  await report(third.slug, 'spam', '192.0.2.2');
  const all = await done<Line[]>('show', 'reports');
  expect(all.map(({ slug }) => slug)).toEqual([second.slug, third.slug, first.slug]);
  expect(all[0]).toMatchObject({ accountReports: { privacy: 1 }, otherReports: { malware: 1 } });
  // One account that reports many listings does not hide a listing that several accounts reported before.
  const other = await world.anOwner();
  await world.call('reportMarketplaceListing', { slug: second.slug, reason: 'privacy' }, { key: other.key });
  await world.call('reportMarketplaceListing', { slug: third.slug, reason: 'spam' }, { key: other.key });
  await world.call('reportMarketplaceListing', { slug: third.slug, reason: 'malware' }, { key: other.key });
  expect(await lines('--by', 'accounts')).toEqual([second.slug, third.slug]);
  expect(await lines('--by', 'others', '--limit', '1')).toEqual([first.slug]);
  for (const { slug } of [first, second, third]) await done('dismiss-reports', '--listing', slug);
  expect(await lines()).toEqual([]);
  const actions = (await actionsOn(third.slug)).map(({ action }) => action);
  expect(actions).toEqual(['dismiss-reports', 'dismiss-reports']);
});

test('texts of strangers neither command the terminal nor turn its words', async () => {
  const { slug } = await world.aListing(publisher, { title: 'A \u202egood\u202c talk' });
  const details = '\u2067It asks\u2069\u200f for my password.';
  await world.call('reportMarketplaceListing', { slug, reason: 'phishing', details });
  const { stdout } = await operator(['show', 'listing', '--listing', slug, '--project', 'demo-decks']);
  expect(stdout).not.toMatch(/[^\n\P{Cc}]|[\p{Bidi_Control}\p{Zl}\p{Zp}]/u);
  expect(JSON.parse(stdout)).toMatchObject({ title: 'A \u202egood\u202c talk', reports: [{ details }] });
});

test('a take-down names the open decks of the owner with the same files', async () => {
  const files = [page('The same page, in several decks.'), blob(40, 'own.bin')];
  const { presentationId: listed } = await world.aDeck(publisher, files, 'Listed');
  const { slug } = await world.aListing(publisher, {}, { presentationId: listed });
  const remix = await succeed(world.call<Deck>('remixMarketplaceListing', { slug }, { key: publisher.key }));
  await world.aDeck(publisher, [page('Another page.')], 'Other');
  const sameFiles = async (...target: string[]) => {
    const { sameFiles = [] } = await done<{ sameFiles?: { presentationId: string }[] }>(
      'take-down',
      ...target,
      '--reason',
      'phishing',
    );
    return sameFiles.map(({ presentationId }) => presentationId).sort();
  };
  expect(await sameFiles('--listing', slug)).toEqual([listed, remix.presentationId].sort());
  expect(await sameFiles('--presentation', listed)).toEqual([remix.presentationId]);
  expect(await sameFiles('--presentation', remix.presentationId)).toEqual([]);
});

test('show mail-reports names the organizations whose mails were reported, until the reports are dismissed', async () => {
  const senders = [await world.anOwner(), await world.anOwner()];
  for (const [i, sender] of senders.entries()) {
    const { presentationId } = await world.aDeck(sender);
    const emails = [`one-${i}@example.org`, `two-${i}@example.org`];
    await world.call('sharePresentationViaEmail', { presentationId, emails }, { key: sender.key });
    for (const [to, reason] of [
      [emails[0]!, 'spam'],
      [emails[1]!, 'phishing'],
    ] as const) {
      const url = /https?:\/\/\S+\/mail\/[\w-]+/.exec((await world.mails(to))[0]!.text)![0];
      expect((await fetch(`${url}?choice=report&reason=${reason}`, { method: 'POST' })).status).toBe(200);
    }
  }
  const [first, second] = senders as [Account, Account];
  const [newest, older] = await done<object[]>('show', 'mail-reports');
  const { organizationId, email } = second;
  const shown = { organizationId, name: "Ada's workspace", ownerEmail: email, reports: { spam: 1, phishing: 1 } };
  expect(newest).toMatchObject(shown);
  expect(older).toMatchObject({ organizationId: first.organizationId });
  const { mailReports } = await done<{ mailReports: object[] }>('show', 'organization', '--email', second.email);
  expect(mailReports).toMatchObject([{ reason: 'phishing' }, { reason: 'spam' }]);
  expect(JSON.stringify([newest, older, mailReports])).not.toContain('one-1@example.org');

  expect(await done('dismiss-mail-reports', '--email', second.email)).toMatchObject({ dismissed: 2 });
  expect(await done('show', 'mail-reports')).toMatchObject([{ organizationId: first.organizationId }]);
  expect((await actionsOn(second.organizationId)).at(-1)).toMatchObject({ action: 'dismiss-mail-reports' });
});

test('allow-mails mails an address again that bounced, and its record has no address', async () => {
  const email = 'bounce@allowed.example.org';
  const { presentationId } = await world.aDeck(owner);
  const failures = async () => {
    const mail = { presentationId, emails: [email] };
    const { failed } = await succeed(
      world.call<{ failed: object[] }>('sharePresentationViaEmail', mail, { key: owner.key }),
    );
    return failed.length;
  };
  expect(await failures()).toBe(0);
  await world.cloud.mailEvents.runDue();
  expect(await failures()).toBe(1);
  const key = world.database.doc('recipientKeys/current');
  const stored = (await key.get()).data()!;
  const secret = process.env['SERVICE_SECRET']!;
  const allow = ['allow-mails', '--email', email] as const;
  try {
    // The secret of another project.
    process.env['SERVICE_SECRET'] = randomUUID();
    expect(await refused(...allow)).toContain('No secret in SERVICE_SECRET opens');
    await key.delete();
    expect(await refused(...allow)).toContain('no key of mail recipients');
    expect((await key.get()).exists).toBe(false);
    await key.set(stored);
    process.env['SERVICE_SECRET'] = `${randomUUID()}\n${secret}`;
    expect(await done(...allow)).toEqual({ wasStopped: true });
    expect((await key.get()).data()).toEqual(stored);
  } finally {
    process.env['SERVICE_SECRET'] = secret;
    await key.set(stored);
  }
  expect(await failures()).toBe(0);
  const { docs } = await world.database.collection('operatorActions').get();
  const actions = docs.map((each) => each.data()).filter(({ action }) => action === 'allow-mails');
  expect(actions).toHaveLength(1);
  expect(JSON.stringify(actions)).not.toContain('example.org');
});

test('show prints stored data without secrets, and is recorded', async () => {
  const { presentationId, tokenId, token } = deck;
  const rules = { short: true, passcode: 'orchid-47', allowedEmails: ['a@example.org', '@example.com'] };
  await succeed(world.call('updateShareToken', { presentationId, tokenId, ...rules }, { key: owner.key }));
  const link = (await world.database.doc(`presentations/${presentationId}/shareTokens/${tokenId}`).get()).data()!;
  const stored = await done('show', 'presentation', '--presentation', presentationId);
  const links = [
    { name: 'default', hasShortUrl: true, hasPasscode: true, allowedEmailCount: 2 },
    { name: 'x', hasShortUrl: false, hasPasscode: false, allowedEmailCount: null },
  ];
  expect(stored).toMatchObject({ presentationId, ownerEmail: owner.email, links });
  const organization = await done('show', 'organization', '--email', owner.email);
  expect(organization).toMatchObject({ plan: 'free', owner: { email: owner.email }, keys: [{ keyId: owner.keyId }] });
  const ofLink = [link['short'].hash, link['passcode'].hash, link['passcode'].salt, ...link['readers']] as string[];
  for (const secret of [token, owner.key, sha256(token), sha256(owner.key), 'sealed', ...ofLink]) {
    expect(JSON.stringify([stored, organization])).not.toContain(secret);
  }
  const last = (await actionsOn(presentationId)).at(-1);
  expect(last).toMatchObject({ action: 'show presentation', operator: 'grace' });
});

test.each([
  [['set-plan', '--organization', 'none', '--plan', 'pro'], 'no such organization'],
  [['set-plan', '--email', 'nobody@example.org', '--plan', 'pro'], 'no account'],
  [['take-down', '--presentation', 'none', '--reason', 'x'], 'no such deck'],
  [['put-back', '--presentation', 'a/b'], 'no such deck'],
  [['revoke-key', '--key-id', 'none'], 'no such key'],
  [['take-down', '--listing', 'none', '--reason', 'x'], 'no such listing'],
  [['dismiss-reports', '--listing', 'a/b'], 'no such listing'],
  [['dismiss-mail-reports', '--organization', 'a/b'], 'no such organization'],
])('a target that does not exist ends the command with 1: %j', async (args, problem) => {
  expect(await refused(...args)).toContain(problem);
});

test.each([
  [[], 'A command is needed'],
  [['destroy', '--project', 'demo-decks'], 'destroy'],
  [['put-back', '--presentation', 'x'], '--project'],
  [['mint-admin-key', '--project', 'demo-decks'], '--name'],
  [['mint-admin-key', '--name', 'x', '--expires-in-days', '0', '--project', 'demo-decks'], '--expires-in-days'],
  [['mint-admin-key', '--name', '', '--project', 'demo-decks'], '--name'],
  [['set-plan', '--organization', 'a', '--email', 'b', '--plan', 'pro', '--project', 'demo-decks'], 'either'],
  [['set-plan', '--organization', 'a', '--plan', 'gold', '--project', 'demo-decks'], 'enterprise'],
  [['take-down', '--presentation', 'x', '--project', 'demo-decks'], '--reason'],
  [['take-down', '--reason', 'x', '--project', 'demo-decks'], 'either'],
  [['put-back', '--presentation', 'x', '--listing', 'y', '--project', 'demo-decks'], 'either'],
  [['show', 'reports', '--limit', '501', '--project', 'demo-decks'], '--limit'],
  [['show', 'reports', '--before', '2026-01-31', '--project', 'demo-decks'], '--by'],
  [['show', 'reports', '--by', 'others', '--before', 'today', '--project', 'demo-decks'], '2026-01-31'],
  [['put-back', '--frobnicate'], '--frobnicate'],
])('a wrong command line (%j) is explained and ends with 2', async (args, problem) => {
  const { code, stdout, stderr } = await operator(args);
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr.split('\n')[0]).toContain(problem);
});

test('a reason that begins with a hyphen is written with an equals sign', async () => {
  const { presentationId } = await world.aDeck(owner);
  const takeDown = ['take-down', '--presentation', presentationId, '--project', 'demo-decks'];
  const wrong = await operator([...takeDown, '--reason', '--yes']);
  expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('--option=value')]);
  expect(await done('take-down', '--presentation', presentationId, '--reason=--yes')).toMatchObject({ presentationId });
  expect(await actionsOn(presentationId)).toMatchObject([{ reason: '--yes' }]);
});

test('--help explains every command and option', async () => {
  const { code, stdout } = await operator(['--help']);
  const words = ['mint-admin-key', 'revoke-key', 'set-plan', 'take-down', 'put-back', 'dismiss-reports', 'show'];
  expect([code, words.filter((word) => !stdout.includes(word))]).toEqual([0, []]);
  expect(['--listing', '--project', '--yes', '--as'].filter((option) => !stdout.includes(option))).toEqual([]);
});
