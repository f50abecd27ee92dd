import fc from 'fast-check';
import {
  grantCookie,
  grantedAt,
  grantSeconds,
  grantsOf,
  OPENING_SECONDS,
  readGrant,
  writeGrant,
  type GrantKind,
} from '../../../functions/src/values/deck-grants';
import { words } from '../../support/words';

const secret = 'a-secret-of-the-service';
const now = new Date('2026-11-22T12:00:00.500Z');
const later = (seconds: number) => new Date(now.getTime() + seconds * 1000);
const presentationId = '0192f0c1-0000-7000-8000-000000000000';
const link = { presentationId, tokenId: 'abc_-123', id: 'random' };
const gated = { ...link, isOwn: true, opening: { at: now, passcode: 'p', reader: ['a', 'b'] as const } };
const preview = { presentationId, version: 12, userId: '0192f0c1-0000-7000-8000-000000000001' };
const kinds = ['ticket', 'grant', 'frame', 'page'] as const;
const cases = (
  [
    ['link', link],
    ['link', gated],
    ['preview', preview],
  ] as const
).flatMap(([name, of]) => kinds.map((kind) => [kind, name, of] as const));

describe.each(cases)('a %s of a %s', (kind: GrantKind, name, of) => {
  const text = writeGrant(secret, kind, of, now);
  const seconds = grantSeconds[name][kind];
  const read = (sent: string, at = now, secrets = [secret]) => readGrant(secrets, kind, sent, at);

  test('names what it opens until it expires', () => {
    const [{ expiresAt, ...rest }] = [read(text)!];
    expect([rest, expiresAt.getTime()]).toEqual([of, Math.floor(now.getTime() / 1000 + seconds) * 1000]);
    expect(read(text, later(seconds - 1))).toMatchObject(of);
    expect(read(text, later(seconds))).toBeUndefined();
  });

  test('is accepted with an older secret, and refused with others, without secrets and as another kind', () => {
    expect(read(text, now, ['a-newer-secret-than-that', secret])).toMatchObject(of);
    expect([read(text, now, ['a-newer-secret-than-that']), read(text, now, [])]).toEqual([undefined, undefined]);
    expect(kinds.filter((other) => readGrant([secret], other, text, now))).toEqual([kind]);
  });

  test('is refused when any character of it was changed, cut or added', () => {
    const replacements = words('0 a . -');
    const changed = Array.from(text, (old, i) => [
      ...replacements.filter((each) => each !== old).map((each) => text.slice(0, i) + each + text.slice(i + 1)),
      text.slice(0, i),
      text.slice(0, i) + text.slice(i + 1),
    ]).flat();
    const added = [`${text} `, ` ${text}`, `"${text}"`, `${text}.`, `${text}0`, text.toUpperCase(), `${text}\n`];
    expect(changed.length).toBeGreaterThan(4 * text.length);
    expect([...changed, ...added].filter((sent) => read(sent))).toEqual([]);
  });

  test('never throws', () => fc.assert(fc.property(fc.string(), (sent) => expect(read(sent)).toBeUndefined())));
});

test('the frame of an opening ends with it, a day after it', () => {
  const late = later(OPENING_SECONDS - 60);
  const text = writeGrant(secret, 'frame', gated, late);
  expect(readGrant([secret], 'frame', text, later(OPENING_SECONDS - 1))).toMatchObject(gated);
  expect(readGrant([secret], 'frame', text, later(OPENING_SECONDS + 1))).toBeUndefined();
});

test('a grant tells when it was given, to the second', () => {
  const grant = readGrant([secret], 'grant', writeGrant(secret, 'grant', link, now), now)!;
  expect(grantedAt(grant)).toEqual(new Date('2026-11-22T12:00:00.000Z'));
});

test('the cookie comes back among others', () => {
  const [pair] = grantCookie('x.y', link).split(';');
  expect([pair, grantsOf(pair!)]).toEqual(['__Host-deck=x.y', ['x.y']]);
  const others = '__Host-deckx=1; x__Host-deck=2; __host-deck=3; __Host-deck';
  expect([grantsOf(`a=b; ${pair};${pair};  ${pair} ;${others}`), grantsOf('')]).toEqual([['x.y', 'x.y', 'x.y'], []]);
  expect(grantsOf('__Host-deck=')).toEqual(['']);
});
