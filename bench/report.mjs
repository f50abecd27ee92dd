// Prints rows for people: ratios with their spread, the goal, and what each server did.
import { spread } from './comparison.mjs';
import { goalOf } from './goals.mjs';

const digits = (value) =>
  value === undefined || Number.isNaN(value) ? '–' : value >= 100 ? value.toFixed(0) : value.toPrecision(2);
const ratioText = (ratios) => {
  const { min, median, max } = spread(ratios);
  return `${digits(median)} (${digits(min)}–${digits(max)})`;
};

/** A line for the row: the ratio to express, and whether it reaches the goal for this version of Node. */
export function ratioLine({ id, what, servers }, major) {
  const express = servers.find(({ name }) => name === 'express');
  const goal = goalOf(id, major);
  const sign = goal?.better === 'lower' ? '≤' : '≥';
  return {
    work: what,
    'ours / express': ratioText(express.ratios),
    'by processor time': ratioText(express.cpuRatios),
    goal: goal ? `${sign} ${goal.value}` : '–',
    reached: goal ? (goal.isReached(spread(express.ratios).median) ? 'yes' : 'no') : '–',
    'today, Node 20': goal?.today ?? '–',
    moonshot: goal?.moonshot ?? '–',
  };
}

/** A line for each server of the row. */
export function serverLines({ what, servers }) {
  return servers.map(({ name, rate, p50, p99, cpuMs, clientBusy, ratios }) => ({
    ...{ work: what, server: name, 'a second': digits(rate), 'p50 ms': digits(p50), 'p99 ms': digits(p99) },
    ...{ 'CPU ms each': digits(cpuMs), 'ours / this': digits(spread(ratios).median) },
    'client busy': clientBusy === undefined ? '–' : `${Math.round(clientBusy * 100)} %`,
  }));
}

/** A line for each way to upload. The last one is what the others are divided by. */
export function uploadLines(what, runs) {
  return runs.map(({ name, seconds, cpuSeconds, ratios, cpuRatio }) => ({
    ...{ work: what, how: name, seconds: digits(seconds), 'CPU s': digits(cpuSeconds) },
    ...{ 'this / least-work': `${digits(ratios.median)} (${digits(ratios.min)}–${digits(ratios.max)})` },
    'by processor time': digits(cpuRatio),
  }));
}

/** A line for each program that was started. */
export function startLines(what, runs) {
  const text = ({ min, median, max }) => `${digits(median)} (${digits(min)}–${digits(max)})`;
  return runs.map(({ name, ms, mb }) => ({ work: what, program: name, ms: text(ms), 'resident MB': text(mb) }));
}
