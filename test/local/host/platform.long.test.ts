import { readFileSync } from 'node:fs';
import { brotliCompressSync, constants, deflateSync, gzipSync } from 'node:zlib';
import { deployTo } from '../../support/deployed';
import { startInstance, type FrameworkInstance } from '../../support/framework';
import { World } from '../../support/world';
import { aFolder } from '../folders';
import { buildBundles } from '../../support/bundles';
import { send, type Sent } from './requests';

const MB = 1024 * 1024;
const json = { 'content-type': 'application/json' };
const body = '{"email":"no address"}';
let world: World;
let instance: FrameworkInstance;
const deployed = aFolder();

beforeAll(async () => {
  buildBundles();
  deployTo(deployed);
  world = await World.start({ platformLimits: true });
  instance = await startInstance(
    'cliRequestSignupOtp',
    { ...world.cloud.environment, TRUSTED_PROXY_HOPS: '1' },
    deployed,
  );
});
afterAll(async () => {
  await instance.stop();
  await world.stop();
});

/** The largest resident memory of the process so far, and its present one, in MB. */
function memoryOf(pid: number): { peak: number; now: number } {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const of = (field: string) => Number(new RegExp(`${field}:\\s+(\\d+) kB`).exec(status)![1]) / 1024;
  return { peak: of('VmHWM'), now: of('VmRSS') };
}

// Only Linux tells the peak of another process. The platform runs Linux.
const onLinux = process.platform === 'linux' ? test : test.skip;

onLinux('bodies of 31 MB, and small ones that grow to 64 MB, take less than 200 MB at once', async () => {
  await Promise.all(Array.from({ length: 20 }, () => send(instance.url, { body })));
  const { now: idle } = memoryOf(instance.pid);
  const large = Buffer.alloc(31 * MB, '[');
  const zeros = Buffer.alloc(64 * MB);
  const bombs: [string, Buffer][] = [
    ['gzip', gzipSync(zeros)],
    ['deflate', deflateSync(zeros)],
    ['br', brotliCompressSync(zeros, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } })],
  ];
  const bodies: Sent[] = [
    { headers: json, body: large },
    { headers: json, body: large, chunked: true },
  ];
  const packed = bombs.map(([encoding, body]) => ({ headers: { 'content-encoding': encoding }, body }));
  const sent = [...Array(10).fill(bodies), ...Array(80).fill(packed)].flat() as Sent[];
  const answers = await Promise.all(sent.map((each) => send(instance.url, each)));
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 413));
  expect(memoryOf(instance.pid).peak - idle).toBeLessThan(200);
});
