import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../../local/project';
import { each } from '../support/each';
import { ACCOUNT, deploying, RESEND_KEY, withPrograms } from './place';
import { PROJECT } from './stand-in';

const made = deploying();
const { anEmptyProject } = made;

describe('npm run deploy', () => {
  const script = join(projectRoot, 'scripts', 'deploy.mjs');
  const start = (...args: string[]) => spawnSync(process.execPath, [script, ...args], { encoding: 'utf8' });

  it('refuses a wrong command line with 2, and runs no program in a dry run', () => {
    for (const [args, told] of [
      [[], /--project <id>' not specified/],
      [['--project', PROJECT, '--only', 'nothing'], /no step nothing\. The steps: tools, preflight, settings, /],
      [['--project', PROJECT, '--proxy-hops', 'two'], /not a whole number from 0 to 9/],
      [['--project', PROJECT, '--set', 'cpu=1'], /not NAME=value/],
      [['--project', PROJECT, '--set', 'REGION=us-east1'], /Use --region/],
    ] as const) {
      const { status, stderr } = start(...args);
      expect([status, stderr]).toEqual([2, expect.stringMatching(told)]);
    }
    const { status, stdout } = start('--project', PROJECT, '--dry-run', '--set', 'CPU_QUOTA=40');
    expect(status).toBe(0);
    expect(stdout).toContain(`echo CPU_QUOTA=40 >> functions/.env.${PROJECT}\n`);
    expect(existsSync(join(projectRoot, 'functions', `.env.${PROJECT}`))).toBe(false);
  });

  const inTerminal = spawnSync('script', ['--version']).stdout?.includes('util-linux') ? it : it.skip;
  inTerminal('does not show a secret that is typed', async () => {
    const { around, standIn } = await anEmptyProject();
    standIn.apis.add('secretmanager.googleapis.com');
    standIn.accounts.add(ACCOUNT.slice(15));
    const env = { ...withPrograms(around), RESEND_API_KEY: undefined };
    const line = `${process.execPath} ${script} --project ${PROJECT} --only secrets`;
    const child = spawn('script', ['-qec', line, '/dev/null'], { env, stdio: ['pipe', 'pipe', 'inherit'] });
    let shown = '';
    child.stdout.on('data', (chunk: Buffer) => {
      const wasAsked = shown.includes('Resend API key');
      shown += chunk.toString();
      if (!wasAsked && shown.includes('Resend API key')) child.stdin.write(`${RESEND_KEY}\r`);
    });
    const [status] = (await once(child, 'close')) as [number];
    expect([status, shown]).toEqual([0, expect.stringContaining('✓ secrets')]);
    expect(standIn.secretVersions.get('RESEND_API_KEY')).toEqual([RESEND_KEY]);
    for (const [value] of each(standIn.secretVersions.values())) expect(shown).not.toContain(value);
  });
});
