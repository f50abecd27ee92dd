/**
 * What each row should reach, as the ratio of the service to express with a token in memory: `today` before the work
 * of issue 11 on Node 20, the goals on Node 20 and from Node 24, and what would be excellent. A row is `better` when its
 * ratio is higher or lower than the goal.
 */
export const goals = {
  'entry-16': { better: 'higher', today: 0.04, node20: 0.3, node24: 0.45, moonshot: 0.7 },
  'entry-64': { better: 'higher', today: 0.03, node20: 0.8, node24: 1, moonshot: 1.2 },
  'asset-16': { better: 'higher', today: 0.13, node20: 0.8, node24: 0.95, moonshot: 2 },
  '304-16': { better: 'higher', today: 0.03, node20: 0.35, node24: 0.45, moonshot: 0.9 },
  'range-16': { better: 'higher', today: 0.1, node20: 1, node24: 1, moonshot: 2 },
  'download-1': { better: 'higher', today: 0.4, node20: 0.5, node24: 0.5, moonshot: 1 },
  'cold-deck': { better: 'lower', today: 2.9, node20: 2.9, node24: 2.2, moonshot: 1.6 },
  'entry-1': { better: 'lower', today: 22, node20: 17, node24: 12, moonshot: 8 },
};

/** The goal of a row on a version of Node, such as 20. Undefined for a row without one. */
export function goalOf(id, major) {
  const goal = goals[id];
  if (!goal) return undefined;
  const value = major >= 24 ? goal.node24 : goal.node20;
  const isReached = (ratio) => (goal.better === 'higher' ? ratio >= value : ratio <= value);
  return { ...goal, value, isReached };
}
