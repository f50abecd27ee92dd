import { randomUUID } from 'node:crypto';
import type { Timestamp } from 'firebase-admin/firestore';
import { reportReasons } from '../../../functions/src/policy/listing-reports';
import { read } from '../../../functions/src/records/database';
import {
  addReport,
  closeReports,
  listPlaceCounts,
  listReportPlaces,
  readReports,
  reportCaseRef,
} from '../../../functions/src/records/listing-reports';
import { transact } from '../../../functions/src/records/transact';
import { labelOfListing, originOf } from '../../../functions/src/values/deck-origins';
import { countReports, listTexts } from '../../../operator/reports';
import { atOnce, outcomes, refusal } from '../../support/answers';
import { passSeconds } from '../../support/clock';
import { navigation, requestLocally } from '../../support/deck-origin';
import {
  contentUrl,
  detail,
  find,
  listingDoc,
  newPage,
  owner,
  publish,
  push,
  remixesOf,
  remixOf,
  startMarketplace,
  update,
} from '../../support/marketplace';
import { blob, page, sha256, succeed, world } from '../../support/world';

startMarketplace();

describe('getMarketplaceListing', () => {
  test('shows every field of a listing to every caller, and nothing that opens the deck', async () => {
    const deck = await world.aDeck(owner, [page('x', 'slides/a b.html'), blob(10, 'slides/ü.png')]);
    const { slug } = await world.aListing(owner, {}, deck);
    const answer = await detail(slug);
    expect(answer.headers.get('cache-control')).toBe('public, max-age=60');
    expect(answer.data).toMatchObject({
      owner: { displayName: 'Ada', organizationName: "Ada's workspace" },
      entryPath: 'slides/a b.html',
      fileCount: 2,
      lineage: [],
      contentUrl: contentUrl(slug, 'slides/a%20b.html'),
      originUrl: `${originOf(world.cloud.deckOrigin!, labelOfListing(slug))}/`,
      files: [
        { path: 'slides/a b.html', size: expect.any(Number) as number, contentType: 'text/html; charset=utf-8' },
        { path: 'slides/ü.png', size: 10, contentType: 'application/octet-stream' },
      ],
    });
    expect(await world.visit(answer.data.contentUrl)).toBe(200);
    const opened = await requestLocally(answer.data.originUrl!, { headers: navigation });
    expect([opened.status, opened.headers.location]).toEqual([303, '/slides/a%20b.html']);
    for (const field of ['presentationId', 'currentVersion', 'takedown']) expect(answer.data).not.toHaveProperty(field);
    const secrets = new RegExp([deck.presentationId, deck.token, deck.tokenId, sha256('x')].join('|'));
    expect(JSON.stringify(answer.body)).not.toMatch(secrets);
  });

  test('answers a caller without a live key like anybody, and a stranger with a key also whether it starred', async () => {
    const { slug } = await world.aListing(owner);
    const fan = await world.aPublisher();
    const session = await world.aDashboardSession(fan);
    await succeed(world.call('starMarketplaceListing', { slug }, { key: session }));
    const everybody = (await detail(slug)).data;
    const former = await world.anOwner();
    await succeed(world.call('revokeApiKey', {}, { key: former.key }));
    for (const [key, isStarred, caching] of [
      ['nonsense', null, 'public, max-age=60'],
      [former.key, null, 'public, max-age=60'],
      [`${owner.key.slice(0, -6)}aaaaaa`, null, 'public, max-age=60'],
      [(await world.anOwner()).key, false, 'private, no-store'],
      [fan.key, true, 'private, no-store'],
      [session, true, 'private, no-store'],
    ] as const) {
      const { data, headers } = await detail(slug, key);
      expect([data, headers.get('cache-control')]).toEqual([{ ...everybody, isStarred }, caching]);
    }
  });

  test('shows only the owner which deck it lists, and why an operator took the listing down', async () => {
    const { slug, presentationId } = await world.aListing(owner);
    await push(presentationId);
    const shown = { presentationId, version: 1, currentVersion: 2, takedown: null, isStarred: false };
    for (const key of [owner.key, await world.aDashboardSession(owner)]) {
      expect((await detail(slug, key)).data).toMatchObject(shown);
    }
    expect((await detail(slug, await world.anAdmin())).data).toMatchObject({ ...shown, isStarred: null });
    const at = new Date();
    await listingDoc(slug).update({ takedown: { at, reason: 'Spam' } });
    expect([(await detail(slug)).status, await world.visit(contentUrl(slug))]).toEqual([410, 410]);
    const { data, headers } = await detail(slug, owner.key);
    expect(data.takedown).toEqual({ at: at.toISOString(), reason: 'Spam' });
    expect([headers.get('cache-control'), headers.get('vary')]).toEqual(['private, no-store', 'Authorization']);
    const query = { presentationId, version: '1', sha256: sha256(page().bytes) };
    expect((await world.call('downloadPresentationAsset', undefined, { key: owner.key, query })).status).toBe(200);
  });

  test('shows one version: later pushes, restores, revoked links and expiry do not change its content', async () => {
    const first = newPage();
    const { slug, presentationId } = await world.aListing(owner, {}, await world.aDeck(owner, [first]));
    await push(presentationId);
    await push(presentationId);
    await succeed(world.call('restorePresentationVersion', { presentationId, version: 2 }, { key: owner.key }));
    await succeed(world.call('unsharePresentation', { presentationId, all: true }, { key: owner.key }));
    await world.database.doc(`presentations/${presentationId}`).update({ expiresAt: new Date(Date.now() - 1) });
    expect((await detail(slug)).data.version).toBe(1);
    expect(await (await fetch(contentUrl(slug))).text()).toBe(first.bytes.toString());
  });

  test('shows the version to which it is updated, and names the last twenty that it has shown, as its page does', async () => {
    const { slug, presentationId } = await world.aListing(owner);
    const versions = async () => {
      const text = await (await fetch(`${world.cloud.hostingUrl}/marketplace/${slug}`)).text();
      const [, list] = /<ol class="rows" reversed>([^]*?)<\/ol>/.exec(text)!;
      return [...list!.matchAll(/<li>(.*?)<\/li>/g)].map(([, row]) => row!.replace(/<[^>]*>|\w+ \d+, \d{4}/g, ''));
    };
    const since = expect.stringMatching(/^\d{4}-.*Z$/) as string;
    expect(await versions()).toEqual(['Version 1 since , shown now']);
    expect((await detail(slug)).data.versions).toEqual([{ version: 1, since }]);
    const second = newPage();
    await push(presentationId, [second]);
    for (const version of [2, 2]) await succeed(update(owner, { slug, version }));
    expect(await versions()).toEqual(['Version 2 since , shown now', 'Version 1 from  to ']);
    expect(await (await fetch(contentUrl(slug))).text()).toBe(second.bytes.toString());
    expect((await detail(slug)).data.versions).toEqual([2, 1].map((version) => ({ version, since })));

    await listingDoc(slug).update({ versions: Array.from({ length: 20 }, () => ({ version: 2, since: new Date() })) });
    await succeed(update(owner, { slug, version: 1 }));
    expect(await versions()).toHaveLength(20);
  });

  test('deleting its deck ends it for good: 410, and its slug is not free the next moment', async () => {
    const { slug, presentationId } = await world.aListing(owner, { slug: 'gone-but-taken' });
    const remove = () => succeed(world.call('deletePresentation', { presentationId }, owner));
    expect([await remove(), await remove()]).toMatchObject([{ listingSlug: slug }, { listingSlug: slug }]);
    expect(await find(slug)).toBeUndefined();
    for (const key of [undefined, owner.key]) expect((await detail(slug, key)).error.code).toBe('expired');
    expect(await world.visit(contentUrl(slug))).toBe(410);
    expect((await update(owner, { slug, status: 'public' })).status).toBe(410);
    const other = await world.aDeck(owner);
    expect((await publish(owner, { presentationId: other.presentationId, slug })).status).toBe(409);
  });

  test('answers 404 to an unknown slug and 400 without a slug, as listMarketplaceRemixes does', async () => {
    for (const slug of ['nobody-has-this', 'a', '__proto__', '..']) {
      expect([(await detail(slug)).status, (await remixesOf(slug)).status]).toEqual([404, 404]);
    }
    expect([(await detail('')).status, (await world.call('listMarketplaceRemixes')).status]).toEqual([400, 400]);
  });
});

describe('getMarketplaceListingContent', () => {
  test('serves the files to every caller, for shared caches, with the sandbox of the viewer, and counts no view', async () => {
    const { slug } = await world.aListing(owner, {}, await world.aDeck(owner, [page(), blob(2000, 'img/a.png')]));
    const etag = `"${sha256(page().bytes)}"`;
    expect(Object.fromEntries((await fetch(contentUrl(slug))).headers)).toMatchObject({
      'cache-control': 'public, max-age=300, s-maxage=3600',
      'content-security-policy': expect.stringMatching(/^sandbox allow-scripts(?!.*allow-same-origin)/) as string,
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'access-control-allow-origin': '*',
      etag,
    });
    const range = await fetch(contentUrl(slug, 'img/a.png'), { headers: { range: 'bytes=0-9' } });
    expect([range.status, range.headers.get('content-range')]).toEqual([206, 'bytes 0-9/2000']);
    expect(await world.visit(contentUrl(slug), { 'if-none-match': etag })).toBe(304);
    expect(await world.visit(contentUrl(slug), {}, 'HEAD')).toBe(200);
    const byQuery = await fetch(contentUrl('', `?slug=${slug}&assetPath=img/a.png`).replace('//?', '?'));
    expect(byQuery.headers.get('content-length')).toBe('2000');
    expect((await detail(slug)).data.viewCount).toBe(0);
  });

  test('redirects to the URL with a slash, and answers 404 that no cache may keep to an unknown file or listing', async () => {
    const { slug } = await world.aListing(owner);
    const whole = await fetch(contentUrl(slug).slice(0, -1), { redirect: 'manual' });
    // Relative links resolve against the address with the slash.
    expect([whole.status, whole.headers.get('location')]).toEqual([308, `${slug}/`]);
    for (const url of [contentUrl(slug, 'none.png'), contentUrl('nobody-has-this'), contentUrl('__x__')]) {
      const { status, headers } = await fetch(url);
      expect([status, headers.get('cache-control')]).toEqual([404, 'no-store']);
    }
  });
});

describe('listMarketplaceRemixes', () => {
  test('lists the published remixes, remixes of remixes included, whose lineage names their ancestors', async () => {
    const source = await world.aListing(owner, { title: 'Source' });
    expect((await remixesOf(source.slug)).data).toEqual({ slug: source.slug, remixes: [], nextCursor: null });
    const child = await world.aListing(owner, { title: 'Child' }, await remixOf(source.slug));
    const grandchild = await world.aListing(owner, {}, await remixOf(child.slug));
    const { data, headers } = await remixesOf(source.slug);
    expect(headers.get('cache-control')).toBe('public, max-age=60');
    const { remixes } = data;
    expect(remixes).toMatchObject([
      { slug: grandchild.slug, remixedFromSlug: child.slug, remixedFromTitle: 'Child' },
      { slug: child.slug, remixedFromSlug: source.slug, remixedFromTitle: 'Source' },
    ]);
    const lineage = [
      { slug: child.slug, title: 'Child' },
      { slug: source.slug, title: 'Source' },
    ];
    expect((await detail(grandchild.slug)).data.lineage).toEqual(lineage);
    await succeed(update(owner, { slug: child.slug, status: 'unlisted' }));
    expect((await remixesOf(source.slug)).data.remixes).toHaveLength(1);
  });

  test('a deck that is not a remix has no ancestors, whatever slugs exist', async () => {
    await world.aListing(owner, { slug: 'none' });
    await world.aListing(owner, { slug: 'undefined-one' });
    const { slug } = await world.aListing(owner);
    expect((await detail(slug)).data).toMatchObject({ lineage: [], remixedFromSlug: null, remixedFromTitle: null });
    expect((await remixesOf('none')).data.remixes).toEqual([]);
  });
});

describe('reportMarketplaceListing', () => {
  const report = (fields: Record<string, unknown>, from: string = randomUUID(), key?: string) =>
    world.call('reportMarketplaceListing', fields, { headers: { 'x-forwarded-for': from }, key });
  const places = (slug: string) => world.database.collection(`listingReports/${slug}/reports`);
  const stored = async (slug: string) => (await places(slug).get()).docs.map((each) => each.data());
  const caseOf = async (slug: string) => (await world.database.doc(`listingReports/${slug}`).get()).data();
  /** What the operator sees of the reports. */
  const seen = async (slug: string, limit = 10_000) => {
    const found = await listReportPlaces(slug);
    const texts = listTexts(found, limit) as { by: string; reason: string; details: string }[];
    return { ...countReports(found), texts };
  };

  test('stores a report for the operator without its sender', async () => {
    const { slug } = await world.aListing(owner);
    const details = ' It asks\r\nfor my password. ';
    expect((await report({ slug, reason: 'phishing', details })).data).toEqual({ slug, reported: true });
    const reportedAt = expect.anything() as unknown;
    const texts = [{ details: 'It asks\nfor my password.', reportedAt }];
    const reporters = [expect.stringMatching(/^[0-9a-f]{16}$/) as string];
    expect(await stored(slug)).toEqual([{ reason: 'phishing', by: 'network', count: 1, reporters, texts }]);
    expect(await caseOf(slug)).toEqual({ slug, isOpen: true, lastReportedAt: reportedAt });
  });

  test('counts the reports of one network once for each listing and reason, however many calls race', async () => {
    const { slug } = await world.aListing(owner);
    await atOnce(8, () => succeed(report({ slug, reason: 'spam' }, '192.0.2.2')));
    await succeed(report({ slug, reason: 'malware', details: '' }, '192.0.2.2'));
    const { otherReports, texts } = await seen(slug);
    expect([otherReports, texts.map(({ details }) => details)]).toEqual([{ spam: 1, malware: 1 }, [null, null]]);
  });

  test('accepts ten reports an hour of one network; other networks are not limited by it', async () => {
    const { slug } = await world.aListing(owner);
    const targets = Array.from({ length: 14 }, (_, i) => (i % 2 ? slug : 'no-such-listing'));
    const sent = await atOnce(14, (i) => report({ slug: targets[i], reason: 'other' }, `2001:db8::${i}`));
    // Unknown listings count as well.
    expect(sent.filter(({ status }) => status === 429)).toHaveLength(4);
    const { error, headers } = sent.find(({ status }) => status === 429)!;
    const retryInSeconds = Number(headers.get('retry-after'));
    expect(error).toMatchObject({ code: 'rate-limited', details: { retryInSeconds, limit: 10, windowSeconds: 3600 } });
    expect((await report({ slug, reason: 'spam' }, '2001:db8:1::1')).status).toBe(200);
    passSeconds(3600);
    expect((await report({ slug, reason: 'other' }, '2001:db8::9')).status).toBe(200);
  });

  test('accepts ten reports an hour of one account, from any number of networks', async () => {
    const { key } = await world.anOwner();
    const { slug } = await world.aListing(owner);
    const sent = await atOnce(12, () => report({ slug, reason: 'spam' }, randomUUID(), key));
    expect(outcomes(sent)).toEqual({ ok: 10, 'rate-limited': 2 });
  });

  test('counts the reports of a reason that is full, and keeps a sample of their texts in twenty documents', async () => {
    const { slug } = await world.aListing(owner);
    await atOnce(20, (place) => {
      const texts = Array.from({ length: 10 }, (_, i) => ({ details: `${place} ${i}`, reportedAt: new Date() }));
      const full = { reason: 'spam', by: 'network', count: 14, reporters: [], texts };
      return places(slug).doc(`spam-${place}`).set(full);
    });
    await atOnce(5, (i) => succeed(report({ slug, reason: 'spam', details: `new ${i}` })));
    await succeed(report({ slug, reason: 'copyright', details: 'It is mine.' }));
    const { otherReports, texts } = await seen(slug);
    expect(otherReports).toEqual({ spam: 285, copyright: 1 });
    const spam = texts.filter(({ reason }) => reason === 'spam');
    // Each of the 20 places keeps 10 texts.
    expect([spam.length, new Set(spam.map((each) => each.details)).size]).toEqual([200, 200]);
    expect((await stored(slug)).filter(({ reason }) => reason === 'spam')).toHaveLength(20);
    // Many reports for one reason do not hide the reports for another one.
    expect((await seen(slug, 2)).texts.map(({ reason }) => reason).sort()).toEqual(['copyright', 'spam']);
    // The case of the listing is written once a minute: a report writes its place and the window of its sender.
    const cost = await world.costOf(() => succeed(report({ slug, reason: 'spam' })));
    expect(cost.documentWrites).toBeLessThanOrEqual(5);
    const writes = async (seconds: number) => {
      passSeconds(seconds);
      const before = (await caseOf(slug))!['lastReportedAt'] as Timestamp;
      await report({ slug, reason: 'spam' });
      return !(await caseOf(slug))!['lastReportedAt'].isEqual(before);
    };
    expect([await writes(61), await writes(30), await writes(31)]).toEqual([true, false, true]);
  });

  test('hides no report of an account behind ninety without an account: it counts apart and is read first', async () => {
    const { slug } = await world.aListing(owner);
    const reporter = await world.anOwner();
    const network = '192.0.2.77';
    const junk = { details: 'junk', reportedAt: new Date() };
    const place = { by: 'network', count: 10, reporters: [], texts: Array.from({ length: 10 }, () => junk) };
    const fill = (reason?: string) =>
      places(slug)
        .doc(`${reason}-0`)
        .set({ reason, ...place });
    await atOnce(9, (i) => fill(reportReasons[i]));
    // The network has no report left, which does not limit the account.
    for (let i = 0; i < 10; i++) await succeed(report({ slug, reason: 'spam', details: 'junk' }, network));
    expect((await report({ slug, reason: 'privacy' }, network)).status).toBe(429);
    await succeed(report({ slug, reason: 'privacy', details: 'Slide 4 shows my photo.' }, network, reporter.key));
    const session = await world.aDashboardSession(reporter);
    await succeed(report({ slug, reason: 'privacy', details: 'again' }, randomUUID(), session));
    const texts = [{ by: 'account', details: 'Slide 4 shows my photo.' }];
    expect(await seen(slug, 1)).toMatchObject({ accountReports: { privacy: 1 }, texts });
    expect((await caseOf(slug))?.['lastAccountReportAt']).toBeDefined();
    expect(JSON.stringify(await stored(slug))).not.toContain(reporter.userId);
  });

  test('is counted and closed without reading the texts, which may have 21 MB', async () => {
    const { slug } = await world.aListing(owner);
    for (const i of [1, 2]) await succeed(report({ slug, reason: 'spam' }, `192.0.2.${i}`));
    const unreadable = { reason: 'privacy', by: 'account', count: 3, reporters: [], texts: 'unreadable' };
    await places(slug).doc('account-privacy-1').set(unreadable);
    const counted = { accountReports: { privacy: 3 }, otherReports: { spam: 2 } };
    expect(countReports(await listPlaceCounts(slug))).toEqual(counted);
    const count = await transact(async (tx) => {
      const reports = await readReports(tx, slug);
      closeReports(tx, reports);
      return reports.count;
    });
    expect([count, (await caseOf(slug))!['isOpen']]).toEqual([5, false]);
  });

  test('leaves the reports open when it races with their end', async () => {
    const { slug } = await world.aListing(owner);
    await succeed(report({ slug, reason: 'spam' }));
    const [place] = (await places(slug).get()).docs;
    const [found] = await read(reportCaseRef(slug));
    await transact(async (tx) => closeReports(tx, await readReports(tx, slug)));
    const late = { reason: 'spam', by: 'network', details: null, reportedAt: new Date() } as const;
    await addReport(slug, found, { ...late, place: { id: place!.id, mark: 'another reporter' } });
    expect([(await seen(slug)).otherReports, (await caseOf(slug))!['isOpen']]).toEqual([{ spam: 2 }, true]);
  });

  test('accepts every reason, also of an unlisted listing, and of no other listing', async () => {
    const { slug } = await world.aListing(owner);
    await succeed(update(owner, { slug, status: 'unlisted' }));
    await Promise.all(reportReasons.map((reason) => succeed(report({ slug, reason }))));
    for (const state of [{ takedown: { at: new Date(), reason: 'x' } }, { takedown: null, deletedAt: new Date() }]) {
      await listingDoc(slug).update(state);
      expect(await refusal(report({ slug, reason: 'privacy' }))).toEqual([410, 'expired']);
    }
    for (const unknown of ['no-such-listing', `${slug}!0`, 'a/b', '__x__']) {
      expect((await report({ slug: unknown, reason: 'spam' })).status).toBe(404);
    }
  });
});
