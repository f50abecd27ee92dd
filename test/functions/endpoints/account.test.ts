import { randomUUID } from 'node:crypto';
import { codesRef } from '../../../functions/src/records/one-time-codes';
import { recipientKey } from '../../../functions/src/records/recipient-key';
import { hashKey } from '../../../functions/src/values/keys';
import { atOnce, fullRefusal, outcomes, refusal } from '../../support/answers';
import { passSeconds } from '../../support/clock';
import { each } from '../../support/each';
import { behindMailGateway, failing } from '../../support/mail-gateway';
import { wrong } from '../../support/sign-in';
import { storeDocuments } from '../../support/stored';
import { documentsWith } from '../../support/whole-store';
import { type Account, startWorld, succeed, world } from '../../support/world';

startWorld();

const anAddress = () => `user-${randomUUID()}@example.org`;
const ask = (purpose: 'Signup' | 'Login', email: unknown, clientAddress: string = randomUUID()) =>
  world.call(`cliRequest${purpose}Otp`, { email }, { headers: { 'x-forwarded-for': clientAddress } });
interface SignedUp {
  organizationId: string;
  apiKey: Record<string, unknown>;
}
const ada = { firstName: 'Ada' };
const signUp = (email: string, code: unknown, more: object = {}) =>
  world.call<SignedUp>('cliCompleteSignup', { email, code, user: ada, ...more });
const logIn = (email: string, code: unknown) =>
  world.call<{ apiKey: { raw: string; keyId: string; scopes: string[] } }>('cliCompleteLogin', { email, code });
const verify = (key: unknown) => world.call('verifyApiKey', undefined, { key: String(key) });
/** A new address, and the code that was mailed to it. */
async function aSignup(): Promise<[email: string, code: string]> {
  const email = anAddress();
  await succeed(ask('Signup', email));
  return [email, await world.mailedCode(email)];
}
/** An account and its valid login code. */
async function aLogin(): Promise<Account & { code: string }> {
  const owner = await world.anOwner();
  passSeconds(31);
  await succeed(ask('Login', owner.email));
  return { ...owner, code: await world.mailedCode(owner.email) };
}

const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8"/>');
const logo = { data: svg.toString('base64'), contentType: 'image/svg+xml' };

describe('signing up', () => {
  test('accepts a mailed code, which is not stored in clear text, and returns an organization with a working key', async () => {
    const email = anAddress();
    const asked = await ask('Signup', `  ${email.toUpperCase()} `);
    expect(asked.data).toEqual({ email, expiresInSeconds: 600, requestToken: expect.stringMatching(/^[\w-]{43}$/) });
    const code = await world.mailedCode(email);
    const codes = await world.database.doc(codesRef(await recipientKey(), email).path).get();
    expect(codes.get('codes')).toHaveLength(1);
    expect(JSON.stringify(codes.data())).not.toMatch(new RegExp(`${code}|${email}`));
    const { data } = await signUp(email, code);
    const [name, scopes] = ['CLI default key', ['presentations:write', 'presentations:read']];
    const organization = { organizationId: data.organizationId, organizationName: "Ada's workspace" };
    expect(data).toMatchObject({ ...organization, isNewUser: true, apiKey: { name, scopes } });
    const { raw } = data.apiKey;
    const { data: verified, headers } = await verify(raw);
    const times = { expiresAt: null, lastUsedAt: null };
    const key = { type: 'org-api-key', keyName: name, keyPrefix: String(raw).slice(0, 8), ...times };
    expect(verified).toMatchObject({ ...organization, ...key, requestId: headers.get('x-request-id') });
    expect((await verify(raw)).data).toMatchObject({ lastUsedAt: expect.any(String) });
  });

  test('stores names, company, colours, logo and key options', async () => {
    const company = { name: 'Engines', description: 'd', tone: 't', brandPrimary: 'AABBCC', brandSecondary: '#112233' };
    const { data } = await signUp(...(await aSignup()), {
      user: { firstName: 'Ada', lastName: 'Lovelace' },
      company,
      logo,
      apiKey: { name: 'laptop', expiresInDays: 30 },
    });
    expect((await world.database.doc(`organizations/${data.organizationId}`).get()).data()).toMatchObject({
      ...company,
      plan: 'free',
      brandPrimary: '#aabbcc',
      brandAccent: null,
      logo: { contentType: 'image/svg+xml' },
    });
    const { createdAt, expiresAt, ...verified } = (await verify(data.apiKey['raw'])).data;
    expect(verified).toMatchObject({ keyName: 'laptop', organizationName: company.name });
    expect(Date.parse(String(expiresAt)) - Date.parse(String(createdAt))).toBe(30 * 86_400_000);
  });

  const long = 'x'.repeat(61);
  test.each<[code: string, ...cases: object[]]>([
    ['EMAIL_REQUIRED', { email: undefined }, { email: '  ' }],
    ['USER_FIRST_NAME_REQUIRED', { user: undefined }, { user: { firstName: ' ' } }],
    ['USER_NAME_TOO_LONG', { user: { firstName: long } }, { user: { firstName: 'A', lastName: long } }],
    ['COMPANY_NAME_TOO_LONG', { company: { name: 'x'.repeat(101) } }],
    ['BRAND_COLOR_INVALID', { company: { brandAccent: 'red' } }],
    ['INVALID_EXPIRES_IN_DAYS', ...[0, 366, 1.5, '3'].map((expiresInDays) => ({ apiKey: { expiresInDays } }))],
    ['LOGO_DECODE_FAILED', { logo: { data: '!!', contentType: 'image/png' } }],
    ['LOGO_INVALID_FORMAT', { logo: { data: 'aGVsbG8=', contentType: 'image/gif' } }],
    ['LOGO_TOO_LARGE', { logo: { data: 'A'.repeat(2 * 1024 * 1024 * 1.4), contentType: 'image/png' } }],
  ])('answers %s to wrong fields', async (code, ...cases) => {
    for (const more of each(cases)) {
      const { status, error } = await signUp(anAddress(), '123456', more);
      expect([status, error.code, error.status]).toEqual([400, code, 400]);
    }
  });

  test.each(['cliCompleteSignup', 'completeDashboardSignup'])(
    '%s tells a wrong code before it asks for a name, counts it, and leaves a right one unused',
    async (name) => {
      const [email, code] = await aSignup();
      const send = (sent: string, user: object = {}) => world.call(name, { email, code: sent, user });
      for (const attemptsRemaining of [4, 3]) {
        expect(await fullRefusal(send(wrong(code)))).toMatchObject([400, 'OTP_INVALID', { attemptsRemaining }]);
      }
      for (let i = 0; i < 6; i++) expect(await refusal(send(code))).toEqual([400, 'USER_FIRST_NAME_REQUIRED']);
      expect(await documentsWith(world, 'users', 'email', email)).toHaveLength(0);
      expect((await send(wrong(code), ada)).error.details).toMatchObject({ attemptsRemaining: 2 });
      expect((await send(code, ada)).status).toBe(200);
      expect((await send(code)).error.code).toBe('OTP_ALREADY_USED');
    },
  );

  test('at the dashboard takes the same, and gives a session and no key', async () => {
    const [email, code] = await aSignup();
    const user = { firstName: 'Ada', lastName: 'Lovelace' };
    const body = { email, code, user, company: { name: 'Engines', brandPrimary: '#aabbcc' }, logo };
    const { data } = await world.call('completeDashboardSignup', body);
    const shownUser = { email, displayName: 'Ada Lovelace' };
    expect(data).toMatchObject({ organizationName: 'Engines', isNewUser: true, user: shownUser });
    const shown = await world.call('getAccount', undefined, { key: String(data['sessionToken']) });
    const { contentType } = logo;
    const organization = { name: 'Engines', plan: 'free', brandPrimary: '#aabbcc', logo: { contentType } };
    expect(shown.data).toMatchObject({ user: { ...shownUser, ...user }, organization, expiresAt: data['expiresAt'] });
    expect(await documentsWith(world, 'apiKeys', 'organizationId', data['organizationId'])).toEqual([]);
  });

  test('happens once, however many calls race with one code', async () => {
    const [email, code] = await aSignup();
    expect(outcomes(await atOnce(20, () => signUp(email, code)))).toEqual({ ok: 1, OTP_ALREADY_USED: 19 });
    const users = await documentsWith(world, 'users', 'email', email);
    expect(users).toHaveLength(1);
    expect(await documentsWith(world, 'organizations', 'ownerId', users[0]!.id)).toHaveLength(1);
  });
});

test('logging in adds a key, stops at twenty active keys under parallel logins, and the code stays valid until a key is revoked', async () => {
  const account = await aLogin();
  const own = world.database.doc(`apiKeys/${hashKey(account.key)}`);
  const template = (await own.get()).data()!;
  const others = Array.from({ length: 18 }, () => [`apiKeys/${randomUUID()}`, { ...template, keyId: randomUUID() }]);
  await storeDocuments(world.database, others as [string, object][]);
  const { apiKey } = await succeed(logIn(account.email, account.code));
  expect(apiKey.scopes).toEqual(['presentations:write', 'presentations:read']);
  for (const key of [account.key, apiKey.raw]) expect((await verify(key)).status).toBe(200);
  passSeconds(62);
  await succeed(ask('Login', account.email));
  const code = await world.mailedCode(account.email);
  expect(outcomes(await atOnce(5, () => logIn(account.email, code)))).toEqual({ MAX_API_KEYS_REACHED: 5 });
  await own.update({ status: 'revoked' });
  expect(outcomes(await atOnce(10, () => logIn(account.email, code)))).toEqual({ ok: 1, OTP_ALREADY_USED: 9 });
  const keys = await documentsWith(world, 'apiKeys', 'organizationId', account.organizationId);
  expect(keys.filter((key) => key.get('status') === 'active')).toHaveLength(20);
});

describe('a code', () => {
  test('allows five attempts under thirty parallel guesses, which do not end the cooldown', async () => {
    const account = await aLogin();
    const answers = await atOnce(30, () => logIn(account.email, wrong(account.code)));
    expect(outcomes(answers)).toEqual({ OTP_INVALID: 4, OTP_LOCKED_OUT: 1, OTP_NOT_FOUND: 25 });
    const wrongs = answers.filter(({ error }) => error.code === 'OTP_INVALID');
    expect(wrongs.map(({ error }) => error.details!['attemptsRemaining']).sort()).toEqual([1, 2, 3, 4]);
    expect((await logIn(account.email, account.code)).error.code).toBe('OTP_NOT_FOUND');
    expect(await refusal(ask('Login', account.email))).toEqual([429, 'OTP_RESEND_COOLDOWN']);
  });

  test('cannot be used for another purpose, after its ten minutes, or twice', async () => {
    const account = await aLogin();
    expect((await signUp(account.email, account.code)).error.code).toBe('OTP_PURPOSE_MISMATCH');
    await succeed(logIn(account.email, account.code));
    expect(await refusal(logIn(account.email, account.code))).toEqual([409, 'OTP_ALREADY_USED']);
    passSeconds(601);
    expect(await refusal(logIn(account.email, account.code))).toEqual([410, 'OTP_EXPIRED']);
    expect(await refusal(logIn(anAddress(), '123456'))).toEqual([404, 'OTP_NOT_FOUND']);
  });
});

describe('requesting codes', () => {
  test.each([
    ['EMAIL_REQUIRED', [undefined, 5, '']],
    ['EMAIL_INVALID', ['ada', 'a@b', 'a@b.c\r\nBcc: x@y.z', 'x'.repeat(255)]],
  ])('is refused with %s, which is listed once, for %j', async (code, emails) => {
    for (const { error } of each(await Promise.all(emails.map((email) => ask('Signup', email))))) {
      expect([error.code, error.details?.errors?.map(({ location }) => location)]).toEqual([code, ['body.email']]);
    }
  });

  test('is refused to sign up with an account, and to log in without an account or an organization', async () => {
    const { email } = await world.anOwner();
    passSeconds(31);
    expect(await refusal(ask('Signup', email))).toEqual([409, 'USER_ALREADY_HAS_ORGANIZATION']);
    expect((await ask('Login', anAddress())).error.code).toBe('USER_NOT_FOUND');
    const alone = anAddress();
    const user = { ...ada, lastName: null, organizationId: null, brandColour: null, createdAt: new Date() };
    await world.database.doc(`users/${alone}`).set({ userId: alone, email: alone, ...user });
    expect((await ask('Login', alone)).error.code).toBe('USER_HAS_NO_ORGANIZATION');
  });

  test('reports that the mail provider refuses the address, and a corrected address has no cooldown', async () => {
    // This address passes the service's check and the provider refuses it.
    const refused = [400, 'EMAIL_INVALID', { errors: [{ location: 'body.email' }] }];
    for (let i = 0; i < 2; i++) expect(await fullRefusal(ask('Signup', 'someone@example.o'))).toMatchObject(refused);
  });

  test('has a cooldown of thirty seconds for one address, whatever the purpose and however many calls race', async () => {
    const email = anAddress();
    expect(outcomes(await atOnce(20, () => ask('Signup', email)))).toEqual({ ok: 1, OTP_RESEND_COOLDOWN: 19 });
    expect(await world.mails(email)).toHaveLength(1);
    const { status, error, headers } = await ask('Signup', email);
    const retryInSeconds = Number(headers.get('retry-after'));
    expect([status, error]).toMatchObject([429, { code: 'OTP_RESEND_COOLDOWN', details: { retryInSeconds } }]);
    expect([retryInSeconds > 0, retryInSeconds <= 30]).toEqual([true, true]);
    expect(headers.get('ratelimit')).toContain('r=0');
    expect(headers.get('ratelimit-policy')).toContain('q=1;w=30');
    expect((await ask('Login', email)).error.code).toBe('OTP_RESEND_COOLDOWN');
    passSeconds(31);
    expect((await ask('Signup', email)).status).toBe(200);
  });

  test('is limited to twenty an hour for one address', async () => {
    const email = anAddress();
    for (let i = 0; i < 20; i++) {
      expect((await ask('Signup', email)).status).toBe(200);
      passSeconds(31);
    }
    expect(await refusal(ask('Signup', email))).toEqual([429, 'EMAIL_RATE_LIMITED']);
    passSeconds(3600);
    expect((await ask('Signup', email)).status).toBe(200);
  });

  describe('that send no mail', () => {
    test.each([
      ['Signup', 'Login', 'USER_ALREADY_HAS_ORGANIZATION'],
      ['Login', 'Signup', 'USER_NOT_FOUND'],
    ] as const)('for %s neither close the %s of the address nor replace its code', async (refused, other, code) => {
      const anEmail = async () => (other === 'Login' ? (await world.anOwner()).email : anAddress());
      const [asked, mailed] = [await anEmail(), await anEmail()];
      passSeconds(31);
      await succeed(ask(other, mailed));
      const digits = await world.mailedCode(mailed);
      passSeconds(31);
      for (const email of [asked, mailed]) {
        expect(outcomes(await atOnce(25, () => ask(refused, email)))).toEqual({ [code]: 25 });
      }
      expect((await ask(other, asked)).status).toBe(200);
      expect((await (other === 'Login' ? logIn : signUp)(mailed, digits)).status).toBe(200);
    });

    test('because the provider accepts none restore the code that was mailed before, and do not count', async () => {
      const account = await aLogin();
      await behindMailGateway(async (gateway) => {
        for (let i = 0; i < 20; i++) {
          passSeconds(31);
          gateway.plan(...failing(403, 'invalid_api_key'));
          expect((await ask('Login', account.email)).status).toBe(500);
          gateway.reset();
          if (i > 0) continue;
          const { error } = await logIn(account.email, wrong(account.code));
          expect(error.details).toEqual({ attemptsRemaining: 4 });
        }
      });
      // The answer shows that the record is that of the first code, which has expired by now.
      expect((await logIn(account.email, account.code)).error.code).toBe('OTP_EXPIRED');
      expect((await ask('Login', account.email)).status).toBe(200);
    });
  });

  test('is limited to sixty an hour for one client, refused addresses included, and ignores X-Forwarded-For of the client', async () => {
    const client = randomUUID();
    const answers = await atOnce(60, (i) => ask(i % 2 ? 'Login' : 'Signup', anAddress(), `10.0.0.${i}, ${client}`));
    expect(outcomes(answers)).toEqual({ ok: 30, USER_NOT_FOUND: 30 });
    expect(await refusal(ask('Signup', anAddress(), `10.9.9.9, ${client}`))).toEqual([429, 'IP_RATE_LIMITED']);
    expect((await ask('Signup', anAddress(), `${client}, ${randomUUID()}`)).status).toBe(200);
  });
});
