import { errorTable } from '../../functions/src/errors';
import { exitCodeOf } from '../../cli/src/exit-code';

describe('the exit code', () => {
  test.each([
    ['usage', undefined, 2],
    ['not-signed-in', undefined, 3],
    ['unreachable', undefined, 4],
    ['unexpected-answer', 404, 4],
    ['unexpected-answer', 502, 5],
    ['upload-lost', undefined, 4],
    ['unexpected', undefined, 5],
    ['interrupted', undefined, 130],
    ['not-pushed', undefined, 1],
    ['conflict', undefined, 1],
  ])('of %s with the status %s is %i', (code, status, exitCode) => {
    expect(exitCodeOf({ code, status })).toBe(exitCode);
  });

  test('of an error of the service is 2 for a wrong address, 3 for a key that may not, 5 for its own faults, else 1', () => {
    const codes = Object.entries(errorTable).map(([code, { status }]) => [code, exitCodeOf({ code, status })] as const);
    const withCode = (wanted: number) => codes.filter(([, exitCode]) => exitCode === wanted).map(([code]) => code);
    expect(withCode(2)).toEqual(['EMAIL_REQUIRED', 'EMAIL_INVALID']);
    expect(withCode(3)).toEqual(['unauthenticated', 'permission-denied']);
    expect(withCode(5)).toEqual(['internal', 'INTERNAL']);
    expect(withCode(1)).toHaveLength(codes.length - 6);
  });
});
