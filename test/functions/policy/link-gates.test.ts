import { isGated, isGrantEnded, isProven } from '../../../functions/src/policy/link-gates';
import { OPENING_SECONDS } from '../../../functions/src/values/deck-grants';

const now = new Date('2026-11-22T12:00:00.000Z');
const open = { passcode: null, readers: null, maxOpenings: null };
const passcode = { ...open, passcode: { id: 'first' } };
const readers = { ...open, readers: ['ada', 'domain'] };
const counted = { ...open, maxOpenings: 1 };

test('a passcode, addresses or a number of openings make a gate', () => {
  expect([open, passcode, readers, counted].map(isGated)).toEqual([false, true, true, true]);
});

test.each([
  ['nothing', open, {}, true],
  ['no passcode', passcode, {}, false],
  ['the passcode', passcode, { passcode: 'first' }, true],
  ['an earlier passcode', passcode, { passcode: 'zero' }, false],
  ['no address', readers, {}, false],
  ['an admitted address', readers, { reader: ['ada', 'other'] as const }, true],
  ['an address of an admitted domain', readers, { reader: ['bob', 'domain'] as const }, true],
  ['another address', readers, { reader: ['bob', 'other'] as const }, false],
  ['the passcode without the address', { ...readers, ...passcode, readers: ['ada'] }, { passcode: 'first' }, false],
])('%s proves what the gate asks for or not', (_what, gate, proof, expected) => {
  expect(isProven(gate, proof)).toBe(expected);
});

const at = (seconds: number) => new Date(now.getTime() - seconds * 1000);
const proof = { passcode: 'first', reader: ['ada', 'other'] as const };
test.each([
  ['of a link that has no gate', open, undefined, false],
  ['of a link that became gated', counted, undefined, true],
  ['within a day', counted, { at: at(OPENING_SECONDS - 1) }, false],
  ['after a day', counted, { at: at(OPENING_SECONDS) }, true],
  ['after a day, of a link whose gate is gone', open, { at: at(OPENING_SECONDS) }, false],
  ['after a new passcode', { ...open, passcode: { id: 'second' } }, { at: now, ...proof }, true],
  ['after the passcode is gone', { ...counted }, { at: now, ...proof }, false],
  [
    'after a change of the addresses that keeps the proven one',
    { ...open, readers: ['ada'] },
    { at: now, ...proof },
    false,
  ],
  ['after a change that drops the proven address', { ...open, readers: ['bob'] }, { at: now, ...proof }, true],
  ['that proved no address, after addresses were set', readers, { at: now, passcode: 'first' }, true],
])('a grant %s has ended or not', (_what, gate, opening, expected) => {
  expect(isGrantEnded(gate, opening, now)).toBe(expected);
});
