import fc from 'fast-check';
import { packBlobIndex, sizeInIndex } from '../../../functions/src/values/blob-index';

const MB = 1024 * 1024;

describe('the blob index', () => {
  const hash = fc.uint8Array({ minLength: 32, maxLength: 32 }).map((bytes) => Buffer.from(bytes).toString('hex'));

  test('has the size of every packed blob and of no other', () => {
    fc.assert(
      fc.property(fc.dictionary(hash, fc.nat({ max: 2 ** 31 - 1 })), hash, (sizes, other) => {
        const index = packBlobIndex(new Map(Object.entries(sizes)));
        const packed = Object.keys(sizes).map((sha256) => [sha256, sizeInIndex(index, sha256)]);
        expect(Object.fromEntries(packed)).toEqual(sizes);
        expect(sizeInIndex(index, other)).toBe(sizes[other]);
      }),
    );
  });

  test('of 10 000 blobs of a gigabyte fits into a document', () => {
    const sizes = new Map(Array.from({ length: 10_000 }, (_, i) => [i.toString(16).padStart(64, '0'), 1024 * MB]));
    const index = packBlobIndex(sizes);
    expect(index.length).toBeLessThan(MB);
    expect(sizeInIndex(index, (9_999).toString(16).padStart(64, '0'))).toBe(1024 * MB);
  });
});
