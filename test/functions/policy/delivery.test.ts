import fc from 'fast-check';
import { decideDelivery } from '../../../functions/src/policy/delivery';
import { words } from '../../support/words';

const file = { etag: '"abc"', size: 100 };
const decide = (range?: string, more: object = {}) => decideDelivery({ method: 'GET', range, ...more }, file, 50);

describe('the bytes of an answer', () => {
  test.each([
    ['bytes=0-9', 0, 9],
    ['bytes=90-', 90, 99],
    ['bytes=-10', 90, 99],
    ['bytes=-1000', 0, 49],
    ['bytes=95-1000', 95, 99],
    ['bytes=0-0', 0, 0],
    ['BYTES=1-2', 1, 2],
    ['bytes=0-', 0, 49],
    ['bytes=10-99', 10, 59],
  ])('%s is answered with 206 and at most the cap', (range, start, end) => {
    expect(decide(range)).toEqual({ status: 206, start, end });
  });

  test('the cap is 50 MB', () => {
    const whole = decideDelivery({ method: 'GET', range: 'bytes=0-' }, { etag: '"abc"', size: 52_428_801 });
    expect(whole).toEqual({ status: 206, start: 0, end: 52_428_799 });
  });

  const ignored = words('bytes=0-1,5-6 bytes=0-1,1000- lines=0-1 bytes=a-b bytes= bytes=- bytes=5-2');
  test.each([undefined, 'bytes 0-1', ...ignored])('%s is ignored: the answer is the whole file', (range) =>
    expect(decide(range)).toEqual({ status: 200, start: 0, end: 99 }),
  );

  test.each(['bytes=100-', 'bytes=100-200', 'bytes=-0'])('%s is not satisfiable', (range) =>
    expect(() => decide(range)).toThrow(expect.objectContaining({ code: 'range-not-satisfiable' })),
  );

  test('a matching If-None-Match is decided before Range, in each of its forms', () => {
    for (const ifNoneMatch of ['"abc"', 'W/"abc"', '"x", "abc"', '*'])
      expect(decide('bytes=0-1', { ifNoneMatch })).toEqual({ status: 304 });
    expect(decide(undefined, { ifNoneMatch: '"x"' })).toMatchObject({ status: 200 });
  });

  test('Range is ignored unless If-Range names the ETag of the file', () => {
    expect(decide('bytes=0-1', { ifRange: '"abc"' })).toMatchObject({ status: 206 });
    for (const ifRange of ['"x"', 'W/"abc"', 'Fri, 20 Nov 2026 10:00:00 GMT'])
      expect(decide('bytes=0-1', { ifRange })).toMatchObject({ status: 200 });
  });

  test('HEAD ignores Range', () => expect(decide('bytes=0-1', { method: 'HEAD' })).toMatchObject({ status: 200 }));

  test('the bytes lie inside the file for any Range header', () => {
    fc.assert(
      fc.property(fc.string(), fc.nat(200), (text, size) => {
        try {
          const delivery = decideDelivery({ method: 'GET', range: `bytes=${text}` }, { etag: '"e"', size });
          if (delivery.status === 206) expect(delivery.start <= delivery.end && delivery.end < size).toBe(true);
        } catch (error) {
          expect(error).toMatchObject({ code: 'range-not-satisfiable' });
        }
      }),
    );
  });
});
