import { createHash, randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deleteApp, initializeApp, type App } from 'firebase-admin/app';
import { FieldValue, getFirestore, type Firestore } from 'firebase-admin/firestore';
import { startEmulators, type Emulators } from '../../emulators';
import { findFirebaseTools, findFirestoreEmulator } from '../../emulators/installed';
import { buildBundles } from '../support/bundles';
import { runDeck } from '../support/built-client';
import { startReceiver } from '../support/receiver';

const MB = 1024 * 1024;
const firebase = findFirebaseTools();
const google = findFirestoreEmulator() ? "Google's Firestore emulator" : 'the local Firestore';
const arrangements = [
  [`the official emulators and ${google}`, 'official'],
  ["the official Functions and Hosting emulators over the local cloud's parts", 'local'],
] as const;

const told = firebase ? describe.each(arrangements) : describe.skip.each(arrangements);
const reason = firebase ? '' : ' (skipped: firebase-tools is not installed)';

told(`the service in %s${reason}`, (_, backends) => {
  let emulators: Emulators;
  let database: Firestore;
  let app: App;
  let folder: string;
  /** A slow machine starts a process for each function, for each concurrent request. */
  const PATIENCE_MS = 300_000;

  beforeAll(async () => {
    buildBundles();
    folder = await mkdtemp(join(tmpdir(), 'story-'));
    emulators = await startEmulators({ backends, ephemeral: true, schedules: true });
    process.env['FIRESTORE_EMULATOR_HOST'] = emulators.firestoreHost;
    app = initializeApp({ projectId: emulators.project }, 'story');
    database = getFirestore(app);
  }, PATIENCE_MS);
  afterAll(async () => {
    if (app) await deleteApp(app);
    await emulators?.close();
    const { baseUrl, hostingUrl, mailUrl, firestoreHost, storageHost, authHost } = emulators;
    const hosts = [firestoreHost, storageHost, authHost].map((host) => `http://${host}`);
    for (const address of [baseUrl, hostingUrl, mailUrl, ...hosts])
      await expect(fetch(address)).rejects.toThrow('fetch failed');
    await rm(folder, { recursive: true, force: true });
  }, PATIENCE_MS);

  /** Runs the built client on the computer of a user. Throws when the command fails. */
  async function deck<T = unknown>(user: string, ...args: string[]): Promise<T> {
    const variables = { XDG_CONFIG_HOME: join(folder, user), DECK_BASE_URL: emulators.baseUrl };
    return JSON.parse(await runDeck([...args, '--json'], variables, folder)) as T;
  }

  const addressOf = (user: string) => `${user}@example.com`;
  async function mails(user: string): Promise<{ subject: string; text: string }[]> {
    const response = await fetch(`${emulators.mailUrl}/messages?to=${addressOf(user)}`);
    return ((await response.json()) as { messages: { subject: string; text: string }[] }).messages;
  }

  /** Signs a user up with the mailed code. Returns the key, which may also publish. */
  async function signUp(user: string): Promise<string> {
    const identity = ['signup', '--email', addressOf(user)];
    await deck(user, ...identity);
    const code = /\b\d{6}\b/.exec((await mails(user))[0]?.text ?? '')?.[0];
    await deck(user, ...identity, '--code', code!, '--first-name', user);
    const profiles = join(folder, user, 'deck', 'profiles');
    const [profile] = await readdir(profiles);
    const { key } = JSON.parse(await readFile(join(profiles, profile!), 'utf8')) as { key: { raw: string } };
    // Only a dashboard makes keys that may publish.
    const hash = createHash('sha256').update(key.raw).digest('hex');
    await database.doc(`apiKeys/${hash}`).update({ scopes: FieldValue.arrayUnion('marketplace:publish') });
    return key.raw;
  }

  async function call<T>(name: string, key: string, body?: object): Promise<T> {
    const response = await fetch(`${emulators.baseUrl}/${name}`, {
      method: body ? 'POST' : 'GET',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
    const answer = (await response.json()) as { success: boolean; data: T };
    if (!answer.success) throw new Error(`${name} answered ${response.status} ${JSON.stringify(answer)}`);
    return answer.data;
  }

  /** The objects of the bucket, under the name by which the Functions emulator calls it. */
  const objects = () => `b/${emulators.project}.appspot.com/o`;
  async function objectsOf(presentationId: string): Promise<string[]> {
    const url = `http://${emulators.storageHost}/storage/v1/${objects()}?prefix=presentations/${presentationId}/`;
    const { items = [] } = (await (await fetch(url)).json()) as { items?: { name: string }[] };
    return items.map(({ name }) => name);
  }

  const viewUrl = (shareUrl: string, path: string) => {
    const { pathname, searchParams } = new URL(shareUrl);
    const id = pathname.split('/').at(-1);
    return `${emulators.baseUrl}/getSharedPresentation/${id}/_t/${searchParams.get('token')}/${path}`;
  };
  const look = async (url: string, headers = {}) => {
    const response = await fetch(url, { headers });
    return { status: response.status, bytes: Buffer.from(await response.arrayBuffer()), headers: response.headers };
  };

  test(
    'signs up, pushes, shows, shares, mails, remixes, tells a webhook and deletes decks, and runs its jobs',
    async () => {
      const [key, remixerKey] = [await signUp('ada'), await signUp('grace')];

      // The film is too large for a form, and too large for an answer: its bytes do not pass through a function.
      const entry = Buffer.from('<!doctype html><title>Story</title>');
      const files = { 'index.html': entry, 'film.mp4': randomBytes(26 * MB) };
      await mkdir(join(folder, 'story'));
      for (const [name, bytes] of Object.entries(files)) await writeFile(join(folder, 'story', name), bytes);
      const pushed = await deck<{ presentationId: string; shareUrl: string }>('ada', 'push', 'story');
      const { presentationId, shareUrl } = pushed;
      const sha256 = createHash('sha256').update(files['film.mp4']).digest('hex');
      expect(await objectsOf(presentationId)).toContain(`presentations/${presentationId}/blobs/${sha256}`);

      const shown = await look(shareUrl);
      expect([shown.status, shareUrl.startsWith(emulators.hostingUrl)]).toEqual([200, true]);
      expect(shown.bytes.toString()).toContain('<title>Story</title>');
      const page = await look(viewUrl(shareUrl, ''));
      expect([page.status, page.bytes.equals(files['index.html'])]).toEqual([200, true]);
      const unchanged = await look(viewUrl(shareUrl, ''), { 'if-none-match': page.headers.get('etag') });
      expect(unchanged.status).toBe(304);
      const film = await look(viewUrl(shareUrl, 'film.mp4'));
      expect([film.status, film.bytes.equals(files['film.mp4'])]).toEqual([200, true]);
      const part = await look(viewUrl(shareUrl, 'film.mp4'), { range: 'bytes=10-19' });
      expect([part.status, part.bytes.equals(files['film.mp4'].subarray(10, 20))]).toEqual([206, true]);

      const press = { presentationId, tokenName: 'press' };
      const link = await call<{ shareUrl: string }>('addPresentationToken', key, press);
      expect((await look(viewUrl(link.shareUrl, ''))).status).toBe(200);
      await call('sharePresentationViaEmail', key, { presentationId, emails: [addressOf('alan')] });
      expect((await look(/http\S+\/share\/\S+/.exec((await mails('alan'))[0]!.text)![0])).status).toBe(200);

      const listing = { presentationId, kind: 'presentation', description: 'Worth a look.', category: 'Other' };
      const { slug } = await call<{ slug: string }>('publishMarketplaceListing', key, listing);
      const { listings } = await call<{ listings: { slug: string }[] }>('listMarketplaceListings?sort=stars', key);
      expect(listings.map((each) => each.slug)).toEqual([slug]);
      expect((await look(`${emulators.hostingUrl}/marketplace/${slug}`)).status).toBe(200);
      await call('starMarketplaceListing', remixerKey, { slug });
      const remixed = await deck<{ presentationId: string }>('grace', 'remix', slug, 'remixed');
      expect((await readFile(join(folder, 'remixed', 'film.mp4'))).equals(files['film.mp4'])).toBe(true);

      await call('inviteCollaborator', key, { presentationId, email: addressOf('grace') });
      const { presentations } = await call<{ presentations: { id: string }[] }>('listMyPresentations', remixerKey);
      expect(presentations.map(({ id }) => id).sort()).toEqual([presentationId, remixed.presentationId].sort());

      const receiver = await startReceiver();
      const delivered = new Promise<void>((resolve) => {
        receiver.answer = (response) => void response.writeHead(204).end(resolve);
      });
      await deck('ada', 'webhooks', 'add', receiver.url, '--events', 'presentation.renamed');
      await deck('ada', 'rename', 'Renamed', '--deck', 'story');
      await delivered;
      await receiver.close();
      expect(JSON.parse(receiver.received[0]!.body)).toMatchObject({
        type: 'presentation.renamed',
        data: { presentation: { title: 'Renamed' } },
      });

      await call('deletePresentation', key, { presentationId });
      expect([(await look(viewUrl(shareUrl, ''))).status, await objectsOf(presentationId)]).toEqual([404, []]);

      // The scheduler would run this job 15 minutes later. A call that had found the deck may write until then.
      const job = emulators.jobs.find((name) => name.startsWith('finishDeletions'));
      const late = `presentations/${presentationId}/blobs/${sha256}`;
      const upload = `/upload/storage/v1/${objects()}?uploadType=media&name=${encodeURIComponent(late)}`;
      const sent = await fetch(`http://${emulators.storageHost}${upload}`, { method: 'POST', body: 'late' });
      expect([sent.status, await objectsOf(presentationId)]).toEqual([200, [late]]);
      await database.doc(`deletions/${presentationId}`).update({ sweepAt: new Date() });
      expect((await fetch(`${emulators.baseUrl}/${job}`, { method: 'POST' })).status).toBe(200);
      expect(await objectsOf(presentationId)).toEqual([]);
      expect((await database.doc(`deletions/${presentationId}`).get()).exists).toBe(false);
    },
    PATIENCE_MS,
  );
});
