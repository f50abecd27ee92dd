import { withTestbed, type Computer, type Testbed } from './testbed';

let testbed: Testbed;
let computer: Computer;
withTestbed((made) => ({ testbed, computer } = made));

describe('a first push', () => {
  test('checks more than 2 000 hashes in several calls, and meets the limit of files before it uploads anything', async () => {
    const files = Array.from({ length: 2_001 }, (_, index): [string, string] => [`${index}.txt`, String(index)]);
    const folder = await testbed.aFolder(Object.fromEntries([...files, ['index.html', '']]));
    const refusal = await computer.refused('push', folder);
    expect(refusal).toMatchObject({ code: 'too-many-files', details: { actual: 2002 } });
    expect(testbed.proxy.calls['precheckAssets']).toBe(2);
    expect(testbed.proxy.calls['uploadPresentationAssets']).toBeUndefined();
  });

  test('of 500 files (25 MB) sends at most 12 requests', async () => {
    const files = Array.from({ length: 499 }, (_, index): [string, Buffer] => [
      `${index}.bin`,
      Buffer.alloc(50 * 1024, `${index} `),
    ]);
    const folder = await testbed.aFolder({ 'index.html': '', ...Object.fromEntries(files) });
    expect(await computer.done('push', folder)).toMatchObject({ uploaded: { files: 500 } });
    const requests = Object.values(testbed.proxy.calls).reduce((sum, count) => sum + count, 0);
    expect(requests).toBeLessThanOrEqual(12);
  });
});
