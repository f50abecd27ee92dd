import { randomUUID } from 'node:crypto';
import { page, succeed, World, type Account, type Deck } from '../../support/world';

interface Row {
  collaboratorId: string;
  email: string;
  userId: string | null;
  displayName: string | null;
  role: string;
  status: string;
  activatedAt: string | null;
  revokedAt: string | null;
}

let world: World;
let owner: Account;
let deck: Deck;
beforeAll(async () => {
  world = await World.start();
  owner = await world.anOwner();
});
beforeEach(async () => {
  deck = await world.aDeck(owner, [page()], 'Plans <b>&</b>\r\nBcc: eve@example.org');
});
afterAll(() => world.stop());

const anAddress = () => `dev-${randomUUID()}@example.org`;
const call = <T>(name: string, body: object, key = owner.key) =>
  world.call<T>(name, { presentationId: deck.presentationId, ...body }, { key });
const invite = (email: string, more: object = {}) =>
  call<{ collaborator: Row }>('inviteCollaborator', { email, ...more });
const uninvite = (body: object) => call<{ collaborator: Row }>('uninviteCollaborator', body);
const rows = async () => (await succeed(call<{ collaborators: Row[] }>('listCollaborators', {}))).collaborators;
const push = (key: string) =>
  world.call('precheckAssets', { presentationId: deck.presentationId, hashes: [] }, { key });
async function signUp(email: string): Promise<Account> {
  await succeed(world.call('cliRequestSignupOtp', { email }, { headers: { 'x-forwarded-for': randomUUID() } }));
  const body = { email, code: await world.mailedCode(email), user: { firstName: 'Dev', lastName: 'Eloper' } };
  const data = await succeed(
    world.call<{ organizationId: string; apiKey: { raw: string; keyId: string } }>('cliCompleteSignup', body),
  );
  return { email, key: data.apiKey.raw, keyId: data.apiKey.keyId, organizationId: data.organizationId };
}

describe('a collaborator', () => {
  test('with an account may push at once, sees the deck as dev, and gets no mail', async () => {
    const dev = await world.anOwner();
    const mailsBefore = (await world.mails(dev.email)).length;
    const { collaborator } = await succeed(invite(` ${dev.email.toUpperCase()} `));
    expect(collaborator).toMatchObject({
      email: dev.email,
      displayName: 'Ada',
      role: 'dev',
      status: 'active',
      revokedAt: null,
    });
    expect((await push(dev.key)).status).toBe(200);
    const list = await succeed(
      world.call<{ presentations: object[] }>('listMyPresentations', undefined, { key: dev.key }),
    );
    expect(list.presentations).toMatchObject([{ id: deck.presentationId, role: 'dev' }]);
    expect(await world.mails(dev.email)).toHaveLength(mailsBefore);
  });

  test('without one is told by mail, and may push as soon as the address has signed up', async () => {
    const email = anAddress();
    const { collaborator } = await succeed(invite(email, { message: 'Help <me>\nplease' }));
    expect(collaborator).toMatchObject({ status: 'pending', userId: null, activatedAt: null });
    const [mail] = await world.mails(email);
    expect(mail!.subject).not.toMatch(/[\r\n]/);
    expect(mail!.to).toEqual([email]);
    expect(mail!.html).toContain('Plans &lt;b&gt;&amp;&lt;/b&gt;');
    expect(mail!.html).toContain('Help &lt;me&gt;');
    expect(mail!.text).toContain('Help <me>\nplease');
    const dev = await signUp(email);
    expect((await push(dev.key)).status).toBe(200);
    expect(await rows()).toMatchObject([
      { collaboratorId: collaborator.collaboratorId, status: 'active', displayName: 'Dev Eloper' },
    ]);
  });

  test('is invited once: again changes nothing and mails nothing', async () => {
    const email = anAddress();
    const answers = await Promise.all([1, 2, 3, 4].map(() => succeed(invite(email))));
    expect(new Set(answers.map(({ collaborator }) => collaborator.collaboratorId)).size).toBe(1);
    expect(await rows()).toHaveLength(1);
    expect(await world.mails(email)).toHaveLength(1);
  });

  test('is refused at the very next call after the access was revoked, and starts anew when invited again', async () => {
    const dev = await world.anOwner();
    const { collaborator } = await succeed(invite(dev.email));
    const revoked = await succeed(uninvite({ collaboratorId: collaborator.collaboratorId }));
    expect(revoked.collaborator).toMatchObject({ status: 'revoked' });
    expect((await push(dev.key)).status).toBe(403);
    expect(await succeed(uninvite({ email: dev.email }))).toEqual(revoked);
    expect((await succeed(invite(dev.email))).collaborator).toMatchObject({ status: 'active', revokedAt: null });
    expect((await push(dev.key)).status).toBe(200);
    expect(await rows()).toHaveLength(1);
  });

  test('whose invitation was taken back gains nothing by signing up', async () => {
    const email = anAddress();
    await succeed(invite(email));
    await succeed(uninvite({ email }));
    const dev = await signUp(email);
    expect((await push(dev.key)).status).toBe(403);
  });

  test('ends either with access or without when an invitation and its end race', async () => {
    const dev = await world.anOwner();
    await succeed(invite(dev.email));
    for (let round = 0; round < 5; round++) {
      await Promise.all([uninvite({ email: dev.email }), invite(dev.email)]);
      const [row] = await rows();
      expect((await push(dev.key)).status).toBe(row!.status === 'active' ? 200 : 403);
    }
  });

  test("is nobody with the owner's own address, none at all, or one that is none", async () => {
    for (const email of [owner.email, '', 'nobody', undefined])
      expect((await invite(email as string)).status).toBe(400);
    expect((await uninvite({})).status).toBe(400);
    expect((await uninvite({ email: anAddress() })).status).toBe(404);
  });

  test('is one of ten at most on the free plan, however many invitations race', async () => {
    const answers = await Promise.all(Array.from({ length: 14 }, () => invite(anAddress())));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(10);
    expect(new Set(answers.filter(({ status }) => status !== 200).map(({ error }) => error.code))).toEqual(
      new Set(['conflict']),
    );
    const [first] = await rows();
    await succeed(uninvite({ collaboratorId: first!.collaboratorId }));
    expect((await invite(anAddress())).status).toBe(200);
  });
});
