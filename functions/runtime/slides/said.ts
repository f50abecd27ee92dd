import { cut, lineOf } from './names';
import type { Slide } from './slide';

/** The slide in a `deck:slide` event. Undefined when its detail names no slide. */
export function said(event: Event): Slide | undefined {
  const { key, title, index, count, step, steps } = (event as CustomEvent<Record<string, unknown> | null>).detail ?? {};
  const at = whole(index);
  const name = lineOf(typeof title === 'string' ? title : '');
  const given = typeof key === 'string' || typeof key === 'number' ? cut(lineOf(`${key}`), 100) : '';
  if (at === undefined) return undefined;
  return {
    key: given || cut(name, 100) || `#${at + 1}`,
    title: name,
    index: at,
    count: whole(count) ?? null,
    step: whole(step),
    steps: whole(steps),
  };
}

const whole = (value: unknown) => (Number.isInteger(value) && (value as number) >= 0 ? (value as number) : undefined);
