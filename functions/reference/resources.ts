import * as functions from '../src/index';
import { DEFAULT_CPU_QUOTA, resourceClasses, sizeOf, type ResourceClass } from '../src/resources';

const classes = Object.keys(resourceClasses) as ResourceClass[];

/** What an instance of the class gets at 1 CPU, as a line of a list. Empty for a class whose size does not change. */
function wholeText(name: ResourceClass): string {
  const resources = resourceClasses[name];
  if (!('whole' in resources)) return '';
  return `- At 1 CPU an instance of \`${name}\` has ${resources.whole.memory} and serves ${resources.whole.concurrency} requests at once.`;
}

/** The class of each deployed function. Functions without a definition are scheduled. */
function classOf(deployed: object): ResourceClass {
  if (!('definition' in deployed)) return 'job';
  return (deployed.definition as { runtime?: { class?: ResourceClass } }).runtime?.class ?? 'call';
}

/** The text of docs/resources.md. */
export function resourcesText(): string {
  const deployed = Object.entries(functions);
  const members = Object.fromEntries(
    classes.map((name) => [name, deployed.flatMap(([id, each]) => (classOf(each) === name ? id : [])).toSorted()]),
  ) as Record<ResourceClass, string[]>;
  const cpuOf = (name: ResourceClass) => {
    const { cpu, maxInstances } = sizeOf(name, DEFAULT_CPU_QUOTA);
    return members[name].length * cpu * maxInstances;
  };
  const rows = classes.map((name) => {
    const { cpu, memory, concurrency, timeoutSeconds, instances, scales } = resourceClasses[name];
    const cells = [`\`${name}\``, members[name].length, cpu, memory, concurrency, `${timeoutSeconds} s`];
    return [...cells, `${instances}${scales ? '' : ', fixed'}`, round(cpuOf(name))].join(' | ');
  });
  const total = classes.reduce((sum, name) => sum + cpuOf(name), 0);
  const lists = classes.map((name) => `- \`${name}\`: ${members[name].join(', ')}`);
  return `${[
    '# Resources of the functions',
    '`npm run docs` writes this file from `functions/src/resources.ts` and the endpoints. Decision 25 gives the reasons.',
    [
      '| class | functions | CPU | memory | requests at once | timeout | instances of each | vCPU in all |',
      '|---|---|---|---|---|---|---|---|',
      ...rows.map((row) => `| ${row} |`),
    ].join('\n'),
    `The instances of all functions have ${round(total)} vCPU. A new project has a quota of ${DEFAULT_CPU_QUOTA} vCPU in a region.\n` +
      '`CPU_QUOTA` in `functions/.env` names a larger quota. A CPU below 1 grows in proportion up to 1, then the instances grow.\nThe fixed ones stay.',
    classes.flatMap((name) => wholeText(name) || []).join('\n'),
    lists.join('\n'),
  ].join('\n\n')}\n`;
}

const round = (cpu: number) => Number(cpu.toFixed(2));
