import { randomUUID } from 'node:crypto';
import { hashKey } from '../../../functions/src/values/keys';
import { passSeconds } from '../../support/clock';
import { failing, startMailGateway } from '../../support/mail-gateway';
import { succeed, World, type Account, type Answered } from '../../support/world';
import { documentsWith } from '../../support/whole-store';

let world: World;
beforeAll(async () => {
  world = await World.start();
});
afterAll(() => world.stop());

const anAddress = () => `user-${randomUUID()}@example.org`;
const from = (clientAddress: string) => ({ headers: { 'x-forwarded-for': clientAddress } });
const ask = (purpose: 'Signup' | 'Login', email: unknown, clientAddress: string = randomUUID()) =>
  world.call(`cliRequest${purpose}Otp`, { email }, from(clientAddress));
const signUp = (email: string, code: unknown, more: object = {}) =>
  world.call<{ organizationId: string; organizationName: string; isNewUser: boolean; apiKey: Record<string, unknown> }>(
    'cliCompleteSignup',
    { email, code, user: { firstName: 'Ada' }, ...more },
  );
const logIn = (email: string, code: unknown, more: object = {}) =>
  world.call<{ apiKey: { raw: string; keyId: string; scopes: string[] } }>('cliCompleteLogin', {
    email,
    code,
    ...more,
  });
const wrong = (code: string) => (code === '000000' ? '000001' : '000000');
const outcomes = (answers: Answered<unknown>[]) => {
  const counts: Record<string, number> = {};
  for (const { body } of answers) {
    const outcome = body.error?.code ?? 'ok';
    counts[outcome] = (counts[outcome] ?? 0) + 1;
  }
  return counts;
};
/** An account and its valid login code. */
async function aLogin(): Promise<Account & { code: string }> {
  const owner = await world.anOwner();
  passSeconds(31);
  await succeed(ask('Login', owner.email));
  return { ...owner, code: await world.mailedCode(owner.email) };
}

describe('signing up', () => {
  test('accepts a mailed code and returns an organization with a working key', async () => {
    const email = anAddress();
    const asked = await ask('Signup', `  ${email.toUpperCase()} `);
    expect(asked.data).toEqual({ email, expiresInSeconds: 600 });
    const { data } = await signUp(email, await world.mailedCode(email));
    expect(data).toMatchObject({ organizationName: "Ada's workspace", isNewUser: true });
    expect(data.apiKey).toMatchObject({
      name: 'CLI default key',
      scopes: ['presentations:write', 'presentations:read'],
    });
    const verified = await world.call('verifyApiKey', undefined, { key: String(data.apiKey['raw']) });
    expect(verified.data).toMatchObject({
      type: 'org-api-key',
      keyName: 'CLI default key',
      keyPrefix: String(data.apiKey['raw']).slice(0, 8),
      organizationId: data.organizationId,
      organizationName: "Ada's workspace",
      expiresAt: null,
      lastUsedAt: null,
      requestId: verified.headers.get('x-request-id'),
    });
    const again = await world.call('verifyApiKey', undefined, { key: String(data.apiKey['raw']) });
    expect(again.data['lastUsedAt']).not.toBeNull();
  });

  test('stores names, company, colours, logo and key options', async () => {
    const email = anAddress();
    await succeed(ask('Signup', email));
    const logo = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8"/>');
    const { data } = await signUp(email, await world.mailedCode(email), {
      user: { firstName: 'Ada', lastName: 'Lovelace' },
      company: { name: 'Engines', description: 'd', tone: 't', brandPrimary: 'AABBCC', brandSecondary: '#112233' },
      logo: { data: logo.toString('base64'), contentType: 'image/svg+xml' },
      apiKey: { name: 'laptop', expiresInDays: 30 },
    });
    expect(data.organizationName).toBe('Engines');
    const organization = (await world.database.doc(`organizations/${data.organizationId}`).get()).data()!;
    expect(organization).toMatchObject({
      plan: 'free',
      description: 'd',
      tone: 't',
      brandPrimary: '#aabbcc',
      brandSecondary: '#112233',
      brandAccent: null,
      logo: { contentType: 'image/svg+xml' },
    });
    const verified = await world.call('verifyApiKey', undefined, { key: String(data.apiKey['raw']) });
    const { createdAt, expiresAt, keyName } = verified.data as Record<string, string>;
    expect(keyName).toBe('laptop');
    expect(Date.parse(expiresAt!) - Date.parse(createdAt!)).toBe(30 * 86_400_000);
  });

  const refusals: [object, string][] = [
    [{ email: undefined }, 'EMAIL_REQUIRED'],
    [{ email: '  ' }, 'EMAIL_REQUIRED'],
    [{ user: undefined }, 'USER_FIRST_NAME_REQUIRED'],
    [{ user: { firstName: ' ' } }, 'USER_FIRST_NAME_REQUIRED'],
    [{ user: { firstName: 'x'.repeat(61) } }, 'USER_NAME_TOO_LONG'],
    [{ user: { firstName: 'A', lastName: 'x'.repeat(61) } }, 'USER_NAME_TOO_LONG'],
    [{ company: { name: 'x'.repeat(101) } }, 'COMPANY_NAME_TOO_LONG'],
    [{ company: { brandAccent: 'red' } }, 'BRAND_COLOR_INVALID'],
    [{ apiKey: { expiresInDays: 0 } }, 'INVALID_EXPIRES_IN_DAYS'],
    [{ apiKey: { expiresInDays: 366 } }, 'INVALID_EXPIRES_IN_DAYS'],
    [{ apiKey: { expiresInDays: 1.5 } }, 'INVALID_EXPIRES_IN_DAYS'],
    [{ apiKey: { expiresInDays: '3' } }, 'INVALID_EXPIRES_IN_DAYS'],
    [{ logo: { data: '!!', contentType: 'image/png' } }, 'LOGO_DECODE_FAILED'],
    [{ logo: { data: 'aGVsbG8=', contentType: 'image/png' } }, 'LOGO_INVALID_FORMAT'],
    [{ logo: { data: 'aGVsbG8=', contentType: 'image/gif' } }, 'LOGO_INVALID_FORMAT'],
    [{ logo: { data: 'A'.repeat(2 * 1024 * 1024 * 1.4), contentType: 'image/png' } }, 'LOGO_TOO_LARGE'],
  ];
  test.each(refusals.map(([more, code]) => [code, JSON.stringify(more).slice(0, 60), more] as const))(
    'answers %s to %s',
    async (code, _what, more) => {
      const { status, error } = await signUp(anAddress(), '123456', more);
      expect([status, error.code]).toEqual([400, code]);
      expect(error.status).toBe(400);
    },
  );

  test('without a first name tells a wrong code first, counts it, and does not use a right one', async () => {
    const email = anAddress();
    await succeed(ask('Signup', email));
    const code = await world.mailedCode(email);
    const nameless = { user: {} };
    for (const attemptsRemaining of [4, 3]) {
      const { status, error } = await signUp(email, wrong(code), nameless);
      expect([status, error.code, error.details]).toMatchObject([400, 'OTP_INVALID', { attemptsRemaining }]);
    }
    for (let i = 0; i < 6; i++)
      expect((await signUp(email, code, nameless)).error.code).toBe('USER_FIRST_NAME_REQUIRED');
    expect(await documentsWith(world, 'users', 'email', email)).toHaveLength(0);
    const { error } = await signUp(email, wrong(code));
    expect(error.details).toMatchObject({ attemptsRemaining: 2 });
    expect((await signUp(email, code)).status).toBe(200);
    expect((await signUp(email, code, nameless)).error.code).toBe('OTP_ALREADY_USED');
  });

  test('reports all problems together', async () => {
    const { error } = await signUp('', '123456', { user: { lastName: 7 }, company: { brandPrimary: 'x', name: 5 } });
    expect(error.details?.errors?.map(({ location }) => location).sort()).toEqual([
      'body.company.brandPrimary',
      'body.company.name',
      'body.email',
      'body.user.firstName',
      'body.user.lastName',
    ]);
  });

  test('is refused for an address with an account', async () => {
    const { email } = await world.anOwner();
    passSeconds(31);
    const { status, error } = await ask('Signup', email);
    expect([status, error.code]).toEqual([409, 'USER_ALREADY_HAS_ORGANIZATION']);
  });

  test('happens once, however many calls race with one code', async () => {
    const email = anAddress();
    await succeed(ask('Signup', email));
    const code = await world.mailedCode(email);
    const answers = await Promise.all(Array.from({ length: 20 }, () => signUp(email, code)));
    expect(outcomes(answers)).toEqual({ ok: 1, OTP_ALREADY_USED: 19 });
    const organizations = await documentsWith(world, 'organizations', 'name', "Ada's workspace");
    const users = await documentsWith(world, 'users', 'email', email);
    expect(users).toHaveLength(1);
    expect(organizations.filter((document) => document.get('ownerId') === users[0]!.id)).toHaveLength(1);
  });
});

describe('logging in', () => {
  test('makes a new key and does not change earlier keys', async () => {
    const account = await aLogin();
    const { data } = await logIn(account.email, account.code);
    expect(data.apiKey.scopes).toEqual(['presentations:write', 'presentations:read']);
    for (const key of [account.key, data.apiKey.raw])
      expect((await world.call('verifyApiKey', undefined, { key })).status).toBe(200);
  });

  test('is refused for an address without an account, and without an organization', async () => {
    expect((await ask('Login', anAddress())).error.code).toBe('USER_NOT_FOUND');
    const email = anAddress();
    await world.database.doc(`users/${email}`).set({
      userId: email,
      email,
      firstName: 'A',
      lastName: null,
      organizationId: null,
      createdAt: new Date(),
    });
    expect((await ask('Login', email)).error.code).toBe('USER_HAS_NO_ORGANIZATION');
  });

  test('stops at twenty active keys under parallel logins, and the code stays valid until a key is revoked', async () => {
    const account = await aLogin();
    const template = (await world.database.doc(`apiKeys/${hashKey(account.key)}`).get()).data()!;
    for (let i = 0; i < 18; i++)
      await world.database
        .collection('apiKeys')
        .doc(randomUUID())
        .set({ ...template, keyId: randomUUID() });
    const first = await logIn(account.email, account.code);
    expect(first.status).toBe(200);
    passSeconds(62);
    await succeed(ask('Login', account.email));
    const code = await world.mailedCode(account.email);
    const full = await Promise.all(Array.from({ length: 5 }, () => logIn(account.email, code)));
    expect(outcomes(full)).toEqual({ MAX_API_KEYS_REACHED: 5 });
    await world.database.doc(`apiKeys/${hashKey(account.key)}`).update({ status: 'revoked' });
    const answers = await Promise.all(Array.from({ length: 10 }, () => logIn(account.email, code)));
    expect(outcomes(answers)).toEqual({ ok: 1, OTP_ALREADY_USED: 9 });
    const active = await world.database
      .collection('apiKeys')
      .where('organizationId', '==', account.organizationId)
      .where('status', '==', 'active')
      .get();
    expect(active.size).toBe(20);
  });
});

describe('a code', () => {
  test('allows five attempts under a hundred parallel guesses', async () => {
    const account = await aLogin();
    const answers = await Promise.all(Array.from({ length: 100 }, () => logIn(account.email, wrong(account.code))));
    expect(outcomes(answers)).toEqual({ OTP_INVALID: 4, OTP_LOCKED_OUT: 1, OTP_NOT_FOUND: 95 });
    const remaining = answers.flatMap(({ body }) =>
      body.error?.code === 'OTP_INVALID' ? [body.error.details?.['attemptsRemaining']] : [],
    );
    expect(remaining.sort()).toEqual([1, 2, 3, 4]);
    expect((await logIn(account.email, account.code)).error.code).toBe('OTP_NOT_FOUND');
  });

  test('that is not six digits is refused and does not count as an attempt', async () => {
    const account = await aLogin();
    for (const code of [undefined, '12345', 123456, 'abcdef']) {
      const { status, error } = await logIn(account.email, code);
      expect([status, error.code, error.details]).toEqual([400, 'OTP_INVALID', { attemptsRemaining: 5 }]);
    }
    expect((await logIn(account.email, account.code)).status).toBe(200);
  });

  test('cannot be used for another purpose, after its ten minutes, or twice', async () => {
    const account = await aLogin();
    expect((await signUp(account.email, account.code)).error.code).toBe('OTP_PURPOSE_MISMATCH');
    await succeed(logIn(account.email, account.code));
    const again = await logIn(account.email, account.code);
    expect([again.status, again.error.code]).toEqual([409, 'OTP_ALREADY_USED']);
    passSeconds(601);
    const late = await logIn(account.email, account.code);
    expect([late.status, late.error.code]).toEqual([410, 'OTP_EXPIRED']);
    const none = await logIn(anAddress(), '123456');
    expect([none.status, none.error.code]).toEqual([404, 'OTP_NOT_FOUND']);
  });

  test('is replaced by a newer one', async () => {
    const account = await aLogin();
    passSeconds(31);
    await succeed(ask('Login', account.email));
    const newer = await world.mailedCode(account.email);
    if (newer !== account.code) expect((await logIn(account.email, account.code)).error.code).toBe('OTP_INVALID');
    expect((await logIn(account.email, newer)).status).toBe(200);
  });

  test('is not stored in clear text', async () => {
    const account = await aLogin();
    const codes = await documentsWith(world, 'oneTimeCodes', 'email', account.email);
    expect(codes).toHaveLength(1);
    expect(JSON.stringify(codes[0]!.data())).not.toContain(account.code);
  });
});

describe('requesting codes', () => {
  test.each([
    [undefined, 'EMAIL_REQUIRED'],
    [5, 'EMAIL_REQUIRED'],
    ['', 'EMAIL_REQUIRED'],
    ['ada', 'EMAIL_INVALID'],
    ['a@b', 'EMAIL_INVALID'],
    ['a@b.c\r\nBcc: x@y.z', 'EMAIL_INVALID'],
    ['x'.repeat(255), 'EMAIL_INVALID'],
  ])('%j is refused with %s, which is listed once', async (email, code) => {
    const { error } = await ask('Signup', email);
    expect([error.code, error.details?.errors?.map(({ location }) => location)]).toEqual([code, ['body.email']]);
  });

  test('reports that the mail provider refuses the address, and a corrected address has no cooldown', async () => {
    // This address passes the service's check and the provider refuses it.
    for (let i = 0; i < 2; i++) {
      const { status, error } = await ask('Signup', 'someone@example.o');
      expect([status, error.code, error.details?.errors?.[0]?.location]).toEqual([400, 'EMAIL_INVALID', 'body.email']);
    }
  });

  test('has a cooldown of thirty seconds for one address, whatever the purpose', async () => {
    const email = anAddress();
    await succeed(ask('Signup', email));
    const soon = await ask('Signup', email);
    expect([soon.status, soon.error.code]).toEqual([429, 'OTP_RESEND_COOLDOWN']);
    const { retryInSeconds } = soon.error.details as { retryInSeconds: number };
    expect(retryInSeconds).toBeGreaterThan(0);
    expect(retryInSeconds).toBeLessThanOrEqual(30);
    expect(soon.headers.get('retry-after')).toBe(String(retryInSeconds));
    expect(soon.headers.get('ratelimit')).toContain('r=0');
    expect(soon.headers.get('ratelimit-policy')).toContain('q=1;w=30');
    expect((await ask('Login', email)).error.code).toBe('OTP_RESEND_COOLDOWN');
    passSeconds(31);
    expect((await ask('Signup', email)).status).toBe(200);
  });

  test('mails one code for twenty parallel requests for one address', async () => {
    const email = anAddress();
    const answers = await Promise.all(Array.from({ length: 20 }, () => ask('Signup', email)));
    expect(outcomes(answers)).toEqual({ ok: 1, OTP_RESEND_COOLDOWN: 19 });
    expect(await world.mails(email)).toHaveLength(1);
  });

  test('is limited to twenty an hour for one address', async () => {
    const email = anAddress();
    for (let i = 0; i < 20; i++) {
      expect((await ask('Signup', email)).status).toBe(200);
      passSeconds(31);
    }
    const { status, error } = await ask('Signup', email);
    expect([status, error.code]).toEqual([429, 'EMAIL_RATE_LIMITED']);
    passSeconds(3600);
    expect((await ask('Signup', email)).status).toBe(200);
  });

  describe('that send no mail', () => {
    test.each([
      ['Signup', 'Login', 'USER_ALREADY_HAS_ORGANIZATION'],
      ['Login', 'Signup', 'USER_NOT_FOUND'],
    ] as const)('for %s neither close the %s of the address nor replace its code', async (refused, other, code) => {
      const anEmail = async () => (other === 'Login' ? (await world.anOwner()).email : anAddress());
      const flood = async (email: string) => {
        const answers = await Promise.all(Array.from({ length: 25 }, () => ask(refused, email)));
        expect(outcomes(answers)).toEqual({ [code]: 25 });
      };
      const [asked, mailed] = [await anEmail(), await anEmail()];
      passSeconds(31);
      await succeed(ask(other, mailed));
      const digits = await world.mailedCode(mailed);
      passSeconds(31);
      await flood(asked);
      await flood(mailed);
      expect((await ask(other, asked)).status).toBe(200);
      expect((await (other === 'Login' ? logIn : signUp)(mailed, digits)).status).toBe(200);
    });

    test('because the provider accepts none restore the code that was mailed before, and do not count', async () => {
      const account = await aLogin();
      const gateway = await startMailGateway(world.cloud.mailUrl);
      const before = process.env['RESEND_BASE_URL'];
      Object.assign(process.env, { RESEND_BASE_URL: gateway.url, MAIL_RETRY_PAUSE_MS: '1' });
      try {
        for (let i = 0; i < 25; i++) {
          passSeconds(31);
          gateway.plan(...failing(403, 'invalid_api_key'));
          expect((await ask('Login', account.email)).status).toBe(500);
          gateway.reset();
          if (i > 0) continue;
          const { error } = await logIn(account.email, wrong(account.code));
          expect(error.details).toEqual({ attemptsRemaining: 4 });
        }
      } finally {
        await gateway.close();
        process.env['RESEND_BASE_URL'] = before;
        delete process.env['MAIL_RETRY_PAUSE_MS'];
      }
      // The answer shows that the record is that of the first code, which has expired by now.
      expect((await logIn(account.email, account.code)).error.code).toBe('OTP_EXPIRED');
      expect((await ask('Login', account.email)).status).toBe(200);
    });
  });

  test('is limited to sixty an hour for one client, refused addresses included, and ignores X-Forwarded-For of the client', async () => {
    const client = randomUUID();
    const answers = [];
    for (let i = 0; i < 60; i++)
      answers.push(await ask(i % 2 ? 'Login' : 'Signup', anAddress(), `10.0.0.${i}, ${client}`));
    expect(outcomes(answers)).toEqual({ ok: 30, USER_NOT_FOUND: 30 });
    const { status, error } = await ask('Signup', anAddress(), `10.9.9.9, ${client}`);
    expect([status, error.code]).toEqual([429, 'IP_RATE_LIMITED']);
    expect((await ask('Signup', anAddress(), `${client}, ${randomUUID()}`)).status).toBe(200);
  });
});
