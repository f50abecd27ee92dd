// Prints rows for people: ratios with their spread, the goals, and what each server did.
import { spread } from './comparison.mjs';
import { goalOf } from './goals.mjs';

const digits = (value) => {
  if (Number.isNaN(value)) return '–';
  return value >= 100 ? value.toFixed(0) : value.toPrecision(2);
};
const ratioText = (ratios = []) => {
  if (ratios.length === 0) return '–';
  const { min, median, max } = spread(ratios);
  return `${digits(median)} (${digits(min)}–${digits(max)})`;
};

/** A line for a row: the ratio, and whether it reaches the goal for this version of Node. */
export function summaryLine({ id, what, base, ratios, cpuRatios }, major) {
  const goal = goalOf(id, major);
  const reached = goal?.isReached(spread(ratios).median);
  return {
    work: what,
    'ours /': base,
    ratio: ratioText(ratios),
    'by processor time': ratioText(cpuRatios),
    goal: goal ? `${goal.better === 'lower' ? '≤' : '≥'} ${goal.value}` : '–',
    reached: goal ? (reached ? 'yes' : 'no') : '–',
    'before, Node 20': goal?.before ?? '–',
    moonshot: goal?.moonshot ?? '–',
  };
}

const headings = {
  rate: 'a second',
  p50: 'p50 ms',
  p99: 'p99 ms',
  cpuMs: 'CPU ms',
  starved: 'waits for CPU',
  clientBusy: 'client busy',
  cpuSeconds: 'CPU s',
  ratio: 'ours / this',
  cpuRatio: 'by processor time',
  mb: 'resident MB',
};

/** What each server of a row did. */
export function detailLines({ details }) {
  const text = (key, value) => {
    if (typeof value === 'string') return value;
    return key === 'clientBusy' || key === 'starved' ? `${Math.round(value * 100)} %` : digits(value);
  };
  return details.map((line) =>
    Object.fromEntries(Object.entries(line).map(([key, value]) => [headings[key] ?? key, text(key, value)])),
  );
}
