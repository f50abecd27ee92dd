import type { z } from 'zod';
import { titleOf } from '../../../client/src/folder/title';
import { optionalText } from '../../../functions/src/contract/human-text';
import { normalizeText, textProblems } from '../../../functions/src/values/human-text';
import { oneLine, plainText, senderFor } from '../../../functions/src/values/mail-text';
import { each } from '../../support/each';
import { endpoints } from '../../support/endpoints';
import { words } from '../../support/words';

describe('a text that people write', () => {
  test.each([
    ...['Ada', 'Café', '日本語', '👩‍👩‍👧', 'می‌خواهم', 'קובץ\u200e 1', '.', "'><script>"],
    ...['\u2067עברית\u2069 and \u202bعربي\u202c', '\u2066a \u2067b\u2069\u2069'],
  ])('%j is accepted', (text) => expect(textProblems(text)).toEqual([]));

  test.each([
    ['\u200b', 'people can see'],
    ['\u3164', 'people can see'],
    ['\u2800 \u00ad\ufeff', 'people can see'],
    ['\u200e', 'people can see'],
    ['a\0b', 'control'],
    ['a\tb', 'control'],
    ['a\nb', 'control'],
    ['a\u0085b', 'control'],
    ['\ud800a', 'Unicode'],
    ['a\ufffe', 'Unicode'],
    ['a\u{1ffff}', 'Unicode'],
    ['a\u{e0041}', 'tag'],
    ['a\u202eb', 'direction'],
    ['a\u2067b', 'direction'],
    ['a\u202cb', 'direction'],
    ['a\u202a\u2067b\u202c\u2069', 'direction'],
    ['a\u2067\u2028\u2069b', 'direction'],
  ])('%j is refused: %s', (text, reason) => expect(textProblems(text).join(' ')).toContain(reason));

  test('has line breaks where it may have lines, in one spelling, and its directions end with each line', () => {
    expect(normalizeText(' a\r\nb ')).toBe('a\nb');
    expect(textProblems('a\nb', { lines: true })).toEqual([]);
    expect(textProblems('a\rb', { lines: true })).toHaveLength(1);
    expect(textProblems('\u2067a\nb\u2069', { lines: true })).toHaveLength(1);
  });

  test('is measured in NFC, and is absent when it is empty', () => {
    expect(optionalText({ max: 1 }).parse('e\u0301')).toBe('é');
    expect([' ', '', null, undefined].map((text) => optionalText({ max: 1 }).parse(text))).toEqual([
      ...[null, null, null, undefined],
    ]);
  });

  test('is what the client makes of the title of a page', () => {
    const parts = ['a', '\u202e', '\u2067', '\u{e0041}', '&#xfffe;', '\u200b', '\0', '\ud800', '👩', ' '];
    const titles = parts.flatMap((one) => parts.map((other) => `${one}${other}${'x👩'.repeat(90)}`));
    for (const text of each([...titles, ...parts]))
      expect(textProblems(normalizeText(titleOf(`<title>${text}</title>`) ?? ''))).toEqual([]);
    expect(titleOf('<title>\u200b&#x3164;</title>')).toBeUndefined();
  });
});

describe('the texts of all inputs', () => {
  /** Fields that are not stored as a text: the service decodes them, looks them up or has its own rules for them. */
  const others = words(
    'email newEmail newRequestToken emails[] q cursor remixes previous url keyId collaboratorId assetPath token files[].path entryPath logo.data ' +
      'logo.contentType deviceToken requestToken code exchange id method invitation again own gate grant passcode confirm allowedEmails[] ' +
      'current slides[].key slides[].title ticket slide.hash from message titles paths[] merged[] ' +
      // The mail provider signs them.
      'data.email_id data.to[] data.tags.kind data.tags.mail data.bounce.message data.bounce.type data.failed.reason ' +
      'data.suppressed.message',
  );
  /** The strings of an input that accept a text of the given sort, with their places. */
  function accepting(schema: z.core.$ZodType, text: string, place = ''): string[] {
    const { def } = schema._zod as unknown as { def: Def };
    switch (def.type) {
      case 'object':
        return Object.entries(def.shape!).flatMap(([name, field]) =>
          accepting(field, text, place ? `${place}.${name}` : name),
        );
      case 'array':
        return accepting(def.element!, text, `${place}[]`);
      case 'pipe':
        return [def.in!, def.out!].flatMap((part) => accepting(part, text, place));
      case 'union':
        return def.options!.flatMap((option) => accepting(option, text, place));
      case 'string':
        return (schema as z.ZodString).safeParse(text).success ? [place] : [];
      default:
        return def.innerType ? accepting(def.innerType, text, place) : [];
    }
  }

  test('refuse what nobody can see, control characters and open changes of direction', () => {
    const inputs = Object.values(endpoints).flatMap(({ definition: { input } }) => (input ? [input] : []));
    const texts = ['\u3164', 'a\0', 'a\u202e'];
    const accepted = texts.flatMap((text) => inputs.flatMap((input) => accepting(input as z.core.$ZodType, text)));
    expect([...new Set(accepted)].sort()).toEqual(others.sort());
  });

  test.each([
    ['commitPresentationVersion', 'message', 500],
    ['inviteCollaborator', 'message', 500],
    ['publishMarketplaceListing', 'description', 500],
    ['publishMarketplaceListing', 'category', 60],
    ['publishMarketplaceListing', 'tags', 20],
    ['publishMarketplaceListing', 'techStack', 20],
  ])('%s takes a %s of at most %i', (name, field, most) => {
    const isRefused = (length: number) => {
      const value = ['tags', 'techStack'].includes(field) ? Array<string>(length).fill('x') : 'x'.repeat(length);
      const { error } = endpoints[name]!.definition.input.safeParse({ [field]: value });
      return error!.issues.some(({ path }) => path[0] === field);
    };
    expect([isRefused(most), isRefused(most + 1)]).toEqual([false, true]);
  });

  interface Def {
    type: string;
    shape?: Record<string, z.core.$ZodType>;
    element?: z.core.$ZodType;
    in?: z.core.$ZodType;
    out?: z.core.$ZodType;
    options?: z.core.$ZodType[];
    innerType?: z.core.$ZodType;
  }
});

describe('the text of a header', () => {
  test.each([
    ['a\r\nBcc: b@example.org', 'a Bcc: b@example.org'],
    ['  a\t\u0000\u2028b  ', 'a b'],
    ['\u202egro.live\u202c', 'gro.live'],
    ['👩‍👩‍👧 ok', '👩‍👩‍👧 ok'],
    ['\ud800', '\ufffd'],
  ])('%j becomes %j', (text, line) => expect(oneLine(text)).toBe(line));

  test('is cut between characters', () => {
    expect(oneLine('😀'.repeat(300))).toBe(`${'😀'.repeat(199)}…`);
    expect(oneLine('x'.repeat(200))).toBe('x'.repeat(200));
  });
});

test.each([
  ['a\r\nb\tc', 'a\r\nb\tc'],
  ['a\u0000\u0007b', 'ab'],
  [' \n ', null],
])('the message %j becomes %j', (text, words) => expect(plainText(text)).toBe(words));

test.each([
  ["Ada's workspace", "Ada's workspace via Decks <decks@example.org>"],
  ['Söhne & Co. (Köln), GmbH', 'Söhne & Co Köln GmbH via Decks <decks@example.org>'],
  ['"Bank" <help@bank.example>', 'Bank help bank example via Decks <decks@example.org>'],
  ['a\r\nBcc: eve', 'a Bcc eve via Decks <decks@example.org>'],
  ['株式会社', '株式会社 via Decks <decks@example.org>'],
  ['<>@', 'Decks <decks@example.org>'],
  ['', 'Decks <decks@example.org>'],
])('the sender for %j is %j', (name, sender) => expect(senderFor(name, 'Decks <decks@example.org>')).toBe(sender));

test('the sender for a bare address is the name of the organization alone', () => {
  expect(senderFor('Acme', 'decks@example.org')).toBe('Acme <decks@example.org>');
});
