import fc, { type Arbitrary } from 'fast-check';
import { resolve, type Schema } from '../../../functions/reference/examples';
import { words } from '../../support/words';

/** Values that exist in the service, by the name of the field that holds them. */
export type Known = Readonly<Record<string, readonly unknown[]>>;

/** Texts that break parsers, paths, queries and pages. */
const hostileTexts = [
  ...words(`../../etc/passwd ..%2f..%2f %zz %00 // \\ a/./b /abs C:\\x . .. CON <script>alert(1)</script> {{7*7}} é ﬀ
    __proto__ constructor null undefined NaN true 0 -1 1e309 0x10 １２３ 9007199254740993 a@b 2026-02-30T00:00:00Z
    0000-00-00 +275760-09-13T00:00:00.001Z`),
  ...['', ' ', '\u0000', '\uFEFF', '\u202Eabc', '\u2028', '"><img src=x>', "'; DROP TABLE x; --"],
  ...['\r\nSet-Cookie: a=b', '😀'.repeat(40), 'x'.repeat(20_000), 'é'.repeat(700)],
];
const hostileNumbers = [0, -0, -1, 1.5, 2 ** 31, 2 ** 53, -(2 ** 53), 1e21, 1e308, Number.MIN_VALUE];
const deep = (depth: number): unknown => (depth === 0 ? 1 : depth % 2 ? [deep(depth - 1)] : { a: deep(depth - 1) });

/** Values of any type. JSON can spell all of them. */
export const hostileValue: Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(...hostileTexts),
  fc.constantFrom<unknown>(...hostileNumbers),
  fc.constantFrom<unknown>(null, true, false, [], {}, [[]], [null], { length: 1 }, deep(20), deep(63), deep(90)),
  fc.constantFrom<unknown>(Array(3000).fill(''), Object.fromEntries(Array.from({ length: 300 }, (_, i) => [i, i]))),
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc.jsonValue({ maxDepth: 3 }),
);

/** Makes values that match a schema of the document, often with values that exist. */
export class Values {
  constructor(
    private readonly document: Parameters<typeof resolve>[0],
    private readonly known: Known,
  ) {}

  /** A value of the schema of a field. */
  of(schema: Parameters<typeof resolve>[1], name = ''): Arbitrary<unknown> {
    const made = this.made(resolve(this.document, schema));
    const existing = this.known[name] ?? [];
    return existing.length > 0
      ? fc.oneof({ weight: 5, arbitrary: fc.constantFrom(...existing) }, { weight: 1, arbitrary: made })
      : made;
  }

  private made(schema: Schema): Arbitrary<unknown> {
    const forms = [...(schema.anyOf ?? []), ...(schema.oneOf ?? [])].filter(
      (form) => '$ref' in form || 'type' in form || 'enum' in form || 'const' in form || 'anyOf' in form,
    );
    if (forms.length > 0) return fc.oneof(...forms.map((form) => this.of(form)));
    if ('const' in schema) return fc.constant(schema.const);
    if (schema.enum) return fc.constantFrom(...(schema.enum as unknown[]));
    return fc.oneof(...[schema.type].flat().map((type) => this.ofType(type ?? 'null', schema)));
  }

  private ofType(type: string, schema: Schema): Arbitrary<unknown> {
    if (type === 'boolean') return fc.boolean();
    if (type === 'integer' || type === 'number') return numbers(schema);
    if (type === 'string') return texts(schema);
    if (type === 'object') return this.object(schema);
    if (type !== 'array') return fc.constant(null);
    const { items = {}, minItems = 0, maxItems = 4 } = schema;
    return fc.array(this.of(items), { minLength: minItems, maxLength: Math.min(maxItems, minItems + 3) });
  }

  private object({ properties = {}, required = [], anyOf = [], oneOf = [] }: Schema): Arbitrary<object> {
    const model = Object.entries(properties).map(([name, field]) => [name, this.of(field, name)] as const);
    const whole = fc.record(Object.fromEntries(model), { requiredKeys: required });
    // Branches with only `required` declare which fields belong together: the object gets those of one branch.
    const branches = [...anyOf, ...oneOf].flatMap((form) =>
      'type' in form || '$ref' in form ? [] : [form.required ?? []],
    );
    if (branches.length < 2) return whole;
    const others = new Set(branches.flat());
    return fc
      .tuple(whole, ...branches.flat().map((name) => this.of(properties[name] ?? {}, name)), fc.nat())
      .map((made) => {
        const chosen = branches[(made.at(-1) as number) % branches.length]!;
        const fields = branches.flat().map((name, i) => [name, made[i + 1]] as const);
        const kept = Object.entries(made[0] as object).filter(([name]) => !others.has(name));
        return Object.fromEntries([...kept, ...fields.filter(([name]) => chosen.includes(name))]);
      });
  }
}

/** The bounds are the values that code gets wrong most often. */
function numbers({ minimum = -1000, maximum = 1_000_000 }: Schema): Arbitrary<number> {
  return fc.oneof(fc.constantFrom(minimum, maximum), fc.integer({ min: minimum, max: Math.min(maximum, 2 ** 53 - 1) }));
}

function texts({ format, pattern, minLength = 0, maxLength = 80, examples }: Schema): Arbitrary<string> {
  if (format === 'uuid') return fc.uuid();
  if (format === 'date-time') {
    const dates = { min: new Date('1990-01-01'), max: new Date('2090-01-01'), noInvalidDate: true };
    return fc.date(dates).map((date) => date.toISOString());
  }
  if (format === 'email') return fc.emailAddress();
  if (format === 'uri') return fc.webUrl();
  if (pattern !== undefined && pattern.length < 30) return fc.stringMatching(new RegExp(pattern));
  const length = { minLength, maxLength: Math.max(minLength, Math.min(maxLength, 80)) };
  const shown = (examples ?? []) as string[];
  return fc.oneof(
    fc.string({ unit: 'grapheme', ...length }),
    fc.constantFrom('x'.repeat(maxLength), 'x'.repeat(minLength), ...shown),
  );
}

type Json = Record<string, unknown> | unknown[];

/** A copy of the input with one place changed: another value, no value, or a field too many. */
export function changedOnce(input: unknown): Arbitrary<unknown> {
  const places = placesIn(input);
  return fc.tuple(fc.nat(), fc.nat(5), hostileValue).map(([at, kind, value]) => {
    const copy = structuredClone(input);
    const place = places[at % places.length];
    if (!place || typeof copy !== 'object' || copy === null) return value;
    const [holder, key] = reach(copy as Json, place);
    if (kind === 0) delete (holder as Record<string, unknown>)[key];
    else if (kind === 1) Object.defineProperty(holder, '__proto__', { value, enumerable: true, configurable: true });
    else (holder as Record<string, unknown>)[key] = value;
    return copy;
  });
}

function placesIn(value: unknown, at: string[] = []): string[][] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, each]) => [[...at, key], ...placesIn(each, [...at, key])]);
}

function reach(value: Json, place: readonly string[]): [Json, string] {
  const inner = place.slice(0, -1).reduce<unknown>((each, key) => (each as Record<string, unknown>)[key], value);
  return [inner as Json, place.at(-1)!];
}
