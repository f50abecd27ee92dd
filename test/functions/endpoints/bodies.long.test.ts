import { z } from 'zod';
import { fullRefusal } from '../../support/answers';
import { freshKey, jsonReaders, limitOf } from '../../support/bodies';
import { collect } from '../../support/garbage';
import { words } from '../../support/words';
import { blob, startWorld, world } from '../../support/world';

const MB = 1024 * 1024;
startWorld();

/** The arrays of an input: their paths in the body, and the most elements that their schemas document. */
function arraysOf(schema: JsonSchema, path: string[] = []): { path: string[]; maxItems: number | undefined }[] {
  const inner = Object.entries(schema.properties ?? {}).flatMap(([name, field]) => arraysOf(field, [...path, name]));
  const choices = (schema.anyOf ?? []).flatMap((choice) => arraysOf(choice, path));
  const isList = schema.type === 'array' || schema.additionalProperties !== undefined;
  return [...inner, ...choices, ...(isList ? [{ path, maxItems: schema.maxItems }] : [])];
}

interface JsonSchema {
  type?: string;
  properties?: Record<string, JsonSchema>;
  anyOf?: JsonSchema[];
  additionalProperties?: unknown;
  maxItems?: number;
}

const arrays = jsonReaders.flatMap((definition) => {
  const schema = z.toJSONSchema(definition.input, { io: 'input', unrepresentable: 'any' }) as JsonSchema;
  return arraysOf(schema).map((field) => [`${definition.name}.${field.path.join('.')}`, definition, field] as const);
});

test('every array of an input is found, and has a limit', () => {
  const known = words(`commitPresentationVersion.files createApiKey.scopes precheckAssets.hashes
    publishMarketplaceListing.tags publishMarketplaceListing.techStack sharePresentationViaEmail.emails`);
  expect(arrays.map(([title]) => title)).toEqual(expect.arrayContaining(known));
  expect(arrays.filter(([, , { maxItems }]) => maxItems === undefined).map(([title]) => title)).toEqual([]);
});

describe.each(arrays)('%s', (_title, definition, { path, maxItems }) => {
  const bodyOf = (elements: unknown[]) => path.reduceRight<unknown>((value, name) => ({ [name]: value }), elements);
  const send = async (body: string) => world.call(definition.name, body, await freshKey(world, definition));

  test('ten times its limit is refused with few problems', async () => {
    for (const element of [0, {}, 'x', []]) {
      const { status, body } = await send(JSON.stringify(bodyOf(Array(10 * maxItems!).fill(element))));
      expect(status).toBe(400);
      expect(JSON.stringify(body).length).toBeLessThan(4000);
    }
  });

  test('an array that fills the body costs no more memory than a small multiple of the body', async () => {
    const text = JSON.stringify(bodyOf(new Array(limitOf(definition) / 2 - 100).fill(0)));
    expect((await send(text)).status).toBe(400);
    const parsed = JSON.parse(text) as object;
    collect();
    const before = process.memoryUsage().heapUsed;
    const result = definition.input.safeParse(parsed);
    expect((process.memoryUsage().heapUsed - before) / MB).toBeLessThan(4);
    expect(result.error!.issues.length).toBeLessThan(20);
  });
});

test('uploadPresentationAsset accepts a file of exactly the plan cap and refuses one byte more', async () => {
  const owner = await world.anOwner();
  const { sessionId } = await world.aSession(owner);
  const [limit, actual] = [50 * MB, 50 * MB + 1];
  expect((await world.upload(owner, { sessionId }, blob(limit))).data.size).toBe(limit);
  const refused = await fullRefusal(world.upload(owner, { sessionId }, blob(actual)));
  expect(refused).toEqual([413, 'payload-too-large', { limit, actual, plan: 'free' }]);
});

test('uploadPresentationAssets refuses bytes above its limit when the request declares no length', async () => {
  const owner = await world.anOwner();
  const { sessionId } = await world.aSession(owner);
  const chunk = Buffer.alloc(4 * MB);
  async function* endless() {
    yield Buffer.from(`--b\r\nContent-Disposition: form-data; name="sessionId"\r\n\r\n${sessionId}\r\n`);
    for (let part = 0; part < 6; part++) {
      yield Buffer.from(`--b\r\nContent-Disposition: form-data; name="x${part}"; filename="f"\r\n\r\n`);
      for (let i = 0; i < 12; i++) yield chunk;
      yield Buffer.from('\r\n');
    }
  }
  const headers = { authorization: `Bearer ${owner.key}`, 'content-type': 'multipart/form-data; boundary=b' };
  const init = { method: 'POST', headers, body: endless(), duplex: 'half' };
  const response = await fetch(`${world.cloud.baseUrl}/uploadPresentationAssets`, init as never);
  expect(response.status).toBe(413);
});
