/**
 * What each row should reach: the ratio `before` the work on speed on Node 20, the goals on Node 20 and from Node 24,
 * and what would be excellent. A row is `better` when its ratio is higher or lower than the goal. All ratios are of
 * rates or of times. The goals of starts were set in milliseconds, on a machine where the bare framework takes 150 ms.
 */
export const goals = {
  'entry-16': { better: 'higher', before: 0.04, node20: 0.3, node24: 0.45, moonshot: 0.7 },
  'entry-64': { better: 'higher', before: 0.03, node20: 0.8, node24: 1, moonshot: 1.2 },
  'asset-16': { better: 'higher', before: 0.13, node20: 0.8, node24: 0.95, moonshot: 2 },
  '304-16': { better: 'higher', before: 0.03, node20: 0.35, node24: 0.45, moonshot: 0.9 },
  'range-16': { better: 'higher', before: 0.1, node20: 1, node24: 1, moonshot: 2 },
  'download-1': { better: 'higher', before: 0.4, node20: 0.5, node24: 0.5, moonshot: 1 },
  // The goal did not name a reader. It was set with one that took 15 ms with express and 8 ms with the least-work
  // server: less than Chromium takes, and about as much as fetch. The row `cold-deck` was at 12 before.
  'cold-deck-browser': { better: 'lower', node20: 2.9, node24: 2.2, moonshot: 1.6 },
  'cold-deck-fetch': { better: 'lower', before: 4.8, node20: 2.9, node24: 2.2, moonshot: 1.6 },
  'entry-1': { better: 'lower', before: 22, node20: 17, node24: 12, moonshot: 8 },
  // Twice the time that forms took before. In one run: single uploads 15.7 s, forms 1.5 s, the least-work server
  // 0.46 s.
  'uploads-500': { better: 'lower', before: 34, node20: 6.5, node24: 6.5 },
  // Two thirds of the rate of the least-work server: 60 and 187 MB/s were measured before, on a disk.
  'uploads-large': { better: 'lower', before: 3.1, node20: 1.5, node24: 1.5 },
  'viewer-start': { better: 'lower', before: 4.5, node24: 3, moonshot: 2 },
  'viewer-memory': { better: 'lower', before: 144, node24: 105, moonshot: 85 },
  'npm-start': { better: 'lower', before: 6.3, node20: 4.3, node24: 4.3 },
};

/** The goal of a row on a version of Node, such as 20. Undefined for a row without one. */
export function goalOf(id, major) {
  const goal = goals[id];
  const value = goal && (major >= 24 ? goal.node24 : goal.node20);
  if (value === undefined) return undefined;
  const isReached = (ratio) => (goal.better === 'higher' ? ratio >= value : ratio <= value);
  return { ...goal, value, isReached };
}
