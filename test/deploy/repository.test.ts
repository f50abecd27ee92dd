import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { parse } from 'yaml';
import { DEFAULT_REGION } from '../../deploy/context';
import { deployTables, withTables } from '../../deploy/reference';
import { region } from '../../functions/src/config';
import { projectRoot } from '../../local/project';
import { each } from '../support/each';

const read = (...path: string[]) => readFileSync(join(projectRoot, ...path), 'utf8');
const json = <T>(...path: string[]) => JSON.parse(read(...path)) as T;

describe('the repository', () => {
  it('documents the steps, APIs and roles of the deploy', () => {
    const document = read('docs', 'deploy.md');
    expect(withTables(document)).toBe(document);
    for (const name of each(Object.keys(deployTables()))) expect(document).toContain(`<!-- ${name} -->\n\n|`);
  });

  it.each(['check', 'deploy'])('has a workflow %s that runs existing commands with least rights', (name) => {
    const file = read('.github', 'workflows', `${name}.yml`);
    const { permissions, jobs } = parse(file) as {
      permissions: Record<string, string>;
      jobs: Record<string, { steps: { uses?: string; run?: string }[] }>;
    };
    expect(permissions).toEqual({ contents: 'read', ...(name === 'deploy' && { 'id-token': 'write' }) });
    const { scripts } = json<{ scripts: object }>('package.json');
    const all = Object.values(jobs).flatMap(({ steps }) => steps);
    for (const { uses, run } of each(all)) {
      // The owner of an action can move a tag.
      if (uses) expect(file).toMatch(new RegExp(`uses: ${uses} # v\\d+\\.\\d+\\.\\d+$`, 'm'));
      if (uses) expect(uses).toMatch(/^[\w-]+\/[\w-]+@[0-9a-f]{40}$/);
      // A value of another person that stands in a script would be run as code.
      expect(run ?? '').not.toContain('${{');
      const script = /^npm run (\w+)/.exec(run ?? '')?.[1];
      if (script) expect(Object.keys(scripts)).toContain(script);
    }
    expect(all.some(({ run }) => run === '.ci/run' || run?.startsWith('npm run deploy'))).toBe(true);
    const login = all.findIndex(({ uses }) => uses?.includes('/auth@'));
    const installs = all.flatMap(({ run }, i) => (/^npm install|--help$/.test(run ?? '') ? [i] : []));
    expect(installs).toHaveLength(name === 'deploy' ? 2 : 0);
    expect(installs.map((i) => [i < login, all[i]])).toEqual(installs.map((i) => [true, { run: all[i]!.run }]));
  });

  it('deploys to the region that the functions expect without a setting', () => {
    const stored = process.env['REGION'];
    delete process.env['REGION'];
    expect(region()).toBe(DEFAULT_REGION);
    if (stored !== undefined) process.env['REGION'] = stored;
  });

  it('counts no client by address in a function that Hosting calls, where other proxies write entries', () => {
    type Hosting = { rewrites: { function?: { functionId: string } }[] };
    const { rewrites } = json<{ hosting: Hosting }>('firebase.json').hosting;
    const names = new Set(rewrites.flatMap((each) => (each.function ? [`${each.function.functionId}.ts`] : [])));
    const folder = join(projectRoot, 'functions', 'src', 'endpoints');
    const all = readdirSync(folder, { recursive: true, encoding: 'utf8' });
    const files = all.filter((file) => names.has(basename(file)));
    expect(files).toHaveLength(names.size);
    for (const file of each(files)) expect(readFileSync(join(folder, file), 'utf8')).not.toContain('clientAddress');
  });

  it('has one license', () => {
    for (const folder of ['', 'functions', 'cli']) {
      expect(json(folder, 'package.json')).toMatchObject({ license: 'MIT' });
    }
    expect(read('LICENSE')).toMatch(/^MIT License\n/);
  });
});
