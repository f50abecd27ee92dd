import { passSeconds } from '../../support/clock';
import { bucket, storedObjects } from '../../support/whole-store';
import { succeed, World, type Account } from '../../support/world';

let world: World;
let owner: Account;
let session: string;
beforeAll(async () => {
  world = await World.start();
});
beforeEach(async () => {
  owner = await world.anOwner();
  session = await world.aDashboardSession(owner);
});
afterAll(() => world.stop());

interface Shown {
  user: Record<string, unknown>;
  organization: Record<string, unknown> & { logo: { contentType: string } | null };
  expiresAt: string | null;
}
const account = (key: string) => succeed(world.call<Shown>('getAccount', undefined, { key }));
const update = (changes: object, key = session) =>
  world.call<Pick<Shown, 'organization'>>('updateOrganization', changes, { key });
const rename = (changes: object) => world.call<Pick<Shown, 'user'>>('updateProfile', changes, { key: session });
const svg = (text: string) => `<svg xmlns="http://www.w3.org/2000/svg"><title>${text}</title></svg>`;
const logo = (text: string) => ({ data: Buffer.from(svg(text)).toString('base64'), contentType: 'image/svg+xml' });
const shownLogo = () =>
  fetch(`${world.cloud.baseUrl}/getOrganizationLogo`, { headers: { authorization: `Bearer ${owner.key}` } });
const stored = () => storedObjects(`logos/${owner.userId}`);
const store = (name: string) =>
  bucket().file(name).save(svg('old'), { resumable: false, contentType: 'image/svg+xml' });

describe('signing up at the dashboard', () => {
  const signUp = async (email: string, fields: object = {}) => {
    passSeconds(31);
    await succeed(world.call('cliRequestSignupOtp', { email }, { headers: { 'x-forwarded-for': email } }));
    const code = await world.mailedCode(email);
    const body = { email, code, user: { firstName: 'Ada', lastName: 'Lovelace' }, ...fields };
    return world.call<Record<string, unknown>>('completeDashboardSignup', body);
  };
  const keysOf = async (organizationId: unknown) =>
    (await world.database.collection('apiKeys').where('organizationId', '==', organizationId).get()).size;

  test('gives a session and no key', async () => {
    const email = `new-${Math.random()}@example.org`;
    const data = await succeed(signUp(email, { company: { name: 'Engines' } }));
    expect(data).toMatchObject({ organizationName: 'Engines', isNewUser: true });
    expect(data['user']).toMatchObject({ displayName: 'Ada Lovelace', email });
    const shown = await account(String(data['sessionToken']));
    expect(shown.user).toMatchObject({ email, firstName: 'Ada', lastName: 'Lovelace', displayName: 'Ada Lovelace' });
    expect(shown.organization).toMatchObject({ name: 'Engines', plan: 'free', logo: null });
    expect(shown.expiresAt).toBe(data['expiresAt']);
    expect(await keysOf(data['organizationId'])).toBe(0);
  });

  test('tells a wrong code before it asks for a name, and leaves a right one unused', async () => {
    const email = `new-${Math.random()}@example.org`;
    const first = await signUp(email, { user: {} });
    expect([first.status, first.error.code]).toEqual([400, 'USER_FIRST_NAME_REQUIRED']);
    const code = await world.mailedCode(email);
    const wrong = code === '000000' ? '000001' : '000000';
    expect((await world.call('completeDashboardSignup', { email, code: wrong })).error.code).toBe('OTP_INVALID');
    const user = { firstName: 'Ada' };
    expect((await world.call('completeDashboardSignup', { email, code, user })).status).toBe(200);
  });
});

describe('the account', () => {
  test('is shown to a key, whose expiry it names', async () => {
    const shown = await account(owner.key);
    expect(shown.user).toMatchObject({ userId: owner.userId, email: owner.email, firstName: 'Ada', lastName: null });
    expect(shown.organization).toMatchObject({ organizationId: owner.organizationId, name: "Ada's workspace" });
    expect(shown.expiresAt).toBeNull();
    const admin = await world.call('getAccount', undefined, { key: await world.anAdmin() });
    expect(admin.status).toBe(403);
  });

  test('takes the fields that are sent, and keeps the others', async () => {
    expect((await succeed(rename({ lastName: ' Lovelace ' }))).user).toMatchObject({ displayName: 'Ada Lovelace' });
    expect((await succeed(rename({ firstName: 'Grace' }))).user).toMatchObject({ displayName: 'Grace Lovelace' });
    expect((await succeed(rename({ lastName: null }))).user).toMatchObject({ displayName: 'Grace', lastName: null });
    await succeed(update({ name: 'Engines', tone: 'Precise', brandPrimary: 'ABCDEF' }));
    await succeed(update({ tone: null }));
    const { organization, user } = await account(session);
    expect(organization).toMatchObject({ name: 'Engines', tone: null, brandPrimary: '#abcdef' });
    expect(user['firstName']).toBe('Grace');
  });

  test.each([
    ['updateProfile', {}, 'invalid-argument'],
    ['updateProfile', { firstName: ' ' }, 'USER_FIRST_NAME_REQUIRED'],
    ['updateProfile', { lastName: 'x'.repeat(61) }, 'USER_NAME_TOO_LONG'],
    ['updateOrganization', {}, 'invalid-argument'],
    ['updateOrganization', { name: ' ' }, 'invalid-argument'],
    ['updateOrganization', { name: 'x'.repeat(101) }, 'COMPANY_NAME_TOO_LONG'],
    ['updateOrganization', { brandAccent: 'red' }, 'BRAND_COLOR_INVALID'],
    ['updateOrganization', { logo: { data: 'eHg=', contentType: 'image/png' } }, 'LOGO_INVALID_FORMAT'],
    ['updateOrganization', { logo: { data: '*', contentType: 'image/png' } }, 'LOGO_DECODE_FAILED'],
  ])('%s refuses %j', async (name, body, code) => {
    const { status, error } = await world.call(name, body, { key: session });
    expect([status, error.code]).toEqual([400, code]);
  });
});

describe('the logo', () => {
  test('is returned as it was sent, and a browser runs nothing of it', async () => {
    expect((await shownLogo()).status).toBe(404);
    const { organization } = await succeed(update({ logo: logo('one') }));
    expect(organization.logo).toEqual({ contentType: 'image/svg+xml' });
    const answer = await shownLogo();
    expect([answer.status, answer.headers.get('content-type'), await answer.text()]).toEqual([
      200,
      'image/svg+xml',
      svg('one'),
    ]);
    expect(answer.headers.get('content-security-policy')).toContain('sandbox');
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
  });

  test('is replaced and removed without an object that remains', async () => {
    await succeed(update({ logo: logo('one') }));
    await succeed(update({ logo: logo('two') }));
    expect(await (await shownLogo()).text()).toBe(svg('two'));
    expect(await stored()).toHaveLength(1);
    await succeed(update({ logo: null }));
    expect((await shownLogo()).status).toBe(404);
    expect(await stored()).toEqual([]);
  });

  test('that racing calls replace is always one that was sent, and the record never names a missing object', async () => {
    const texts = Array.from({ length: 8 }, (_, i) => `racing ${i}`);
    const looks: Promise<Response>[] = [];
    await succeed(update({ logo: logo('first') }));
    await Promise.all(
      texts.map(async (text) => {
        expect((await update({ logo: logo(text) })).status).toBe(200);
        looks.push(shownLogo());
      }),
    );
    for (const look of await Promise.all([...looks, shownLogo()])) {
      expect(look.status).toBe(200);
      expect(texts.map(svg)).toContain(await look.text());
    }
    expect(await stored()).toHaveLength(1);
  });

  test('of a call that was cut off is deleted by a change that comes an hour later', async () => {
    await store(`logos/${owner.userId}/of-a-cut-call`);
    await succeed(update({ logo: logo('one') }));
    expect(await stored()).toHaveLength(2);
    passSeconds(3700);
    session = await world.aDashboardSession(owner);
    await succeed(update({ logo: logo('two') }));
    expect(await stored()).toHaveLength(1);
    expect(await (await shownLogo()).text()).toBe(svg('two'));
  });
});
