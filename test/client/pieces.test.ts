import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import type { PushedFile } from '../../client/src/pushed-file';
import { uploadFiles } from '../../client/src/push/upload';
import { findMissing, precheck } from '../../client/src/push/upload-target';
import { NodeTransport } from '../../client/src/service/node-transport';
import { DeckService } from '../../client/src/service/service';
import type { Outgoing } from '../../client/src/service/transport';
import { sha256, World } from '../support/world';

const MB = 1024 * 1024;

/** A transport that may send at most 8 MB of a file at a time, such as one that holds each body in memory. */
class Pieces extends NodeTransport {
  readonly maxPieceBytes = 8 * MB;
  readonly ranges: string[] = [];
  /** The connection of this piece breaks once, before its answer. */
  broken: number | undefined;

  override exchange(outgoing: Outgoing) {
    const range = outgoing.headers['Content-Range'];
    if (typeof range === 'string') this.ranges.push(range);
    if (this.ranges.length !== this.broken) return super.exchange(outgoing);
    this.broken = undefined;
    return super.exchange(outgoing).then(() => {
      throw Object.assign(new Error('The connection broke.'), { code: 'ECONNRESET' });
    });
  }
}

let world: World;
beforeAll(async () => {
  world = await World.start();
});
afterAll(() => world?.stop());

/** Uploads a film of 25 MB to a new upload session. Returns the ranges that were sent. */
async function uploadFilm(transport: Pieces): Promise<string[]> {
  const film = randomBytes(25 * MB);
  const file = { path: 'film.mp4', sizeBytes: film.length, sha256: sha256(film), contentType: 'video/mp4' };
  const { key } = await world.anOwner();
  const service = new DeckService({ baseUrl: world.cloud.baseUrl, key, transport });
  const { target, missing } = await precheck(service, { kind: 'new-deck' }, [file.sha256], undefined);
  expect([...missing]).toEqual([file.sha256]);
  const source = { open: (_: PushedFile, from: number, to: number) => Readable.from([film.subarray(from, to)]) };
  let sent = 0;
  await uploadFiles({ service, target, source, reporter: { onFile: (_, bytes) => (sent = bytes) } }, [file]);
  expect(sent).toBe(film.length);
  // The service has verified the hash of what the bucket holds.
  expect([...(await findMissing(service, target, [file.sha256]))]).toEqual([]);
  service.close();
  return transport.ranges;
}

const piece = (from: number, to: number) => `bytes ${from * MB}-${to * MB - 1}/${25 * MB}`;

test('a file is sent in pieces of at most maxPieceBytes', async () => {
  expect(await uploadFilm(new Pieces())).toEqual([piece(0, 8), piece(8, 16), piece(16, 24), piece(24, 25)]);
});

test('after a piece whose answer was lost, the rest is sent from what the bucket holds', async () => {
  const transport = new Pieces();
  transport.broken = 2;
  const asked = `bytes */${25 * MB}`;
  expect(await uploadFilm(transport)).toEqual([piece(0, 8), piece(8, 16), asked, piece(16, 24), piece(24, 25)]);
});
