import { Command } from 'commander';
import { Failure } from '../../../client/src/failure';
import { count, plain } from '../../../client/src/format';
import { resolveAddress } from '../address';
import { connect } from '../connect';
import { addHints } from '../failure-hints';
import { requireKey } from '../keys';
import { profilePath } from '../profiles';
import type { CommonOptions } from '../session';
import type { Terminal } from '../terminal';
import { checkConnection, checkKey, checkService, type Check } from '../verbs/doctor';
import { checkComputer } from '../verbs/doctor-computer';

const HELP = `
Each line begins with ✓, with ! for a warning, or with ✗, and says what to do. The exit code is 0 without a ✗, 3 when
the key is missing or not valid, 4 when nothing or another server answers, and else 1.`;

export function doctorCommand(terminal: Terminal): Command {
  return new Command('doctor')
    .description('check the service, the key, the clock, the versions and this computer')
    .addHelpText('after', HELP)
    .action((_options, self: Command) => runDoctor(self.optsWithGlobals(), terminal));
}

async function runDoctor(options: CommonOptions, terminal: Terminal): Promise<void> {
  const address = await resolveAddress(options);
  const { baseUrl } = address;
  const checks: Check[] = [];
  const show = (found: readonly Check[]) => {
    checks.push(...found);
    for (const check of found) showCheck(check, terminal);
  };
  show(await checkComputer());
  show([{ name: 'address', state: 'ok', message: baseUrl }, ...(await checkConnection(baseUrl))]);
  if (!checks.some(({ code }) => code === 'unreachable')) {
    const service = connect(baseUrl, terminal);
    const once = { canRepeat: false };
    show(
      await attempt('service', async () =>
        checkService(await service.get('getServiceInfo', {}, once), service.baseUrl),
      ),
    );
    show(
      await attempt('key', async () => {
        const key = requireKey(address, terminal);
        const source = address.profile?.key?.raw === key ? profilePath(address.profile.name) : 'DECK_API_KEY';
        return checkKey(service.withKey(key), source);
      }),
    );
    service.close();
  }
  conclude(baseUrl, checks, terminal);
}

/** A check that could not be made has failed. */
async function attempt(name: string, work: () => Promise<Check[]>): Promise<Check[]> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    const { message, code, nextAction } = addHints(error);
    return [{ name, state: 'failed', message, code, nextAction }];
  }
}

const WIDTH = 'marketplace'.length;

function showCheck({ name, state, message, nextAction }: Check, terminal: Terminal): void {
  const { green, yellow, red, dim } = terminal.colors;
  const sign = { ok: green('✓'), warning: yellow('!'), failed: red('✗') }[state];
  terminal.say(`${sign} ${name.padEnd(WIDTH)}  ${plain(message)}`);
  if (nextAction) terminal.say(`  ${' '.repeat(WIDTH)}  ${dim('→')} ${plain(nextAction)}`);
}

/** Throws when a check failed. The code of the first one decides the exit code. */
function conclude(baseUrl: string, checks: readonly Check[], terminal: Terminal): void {
  const failed = checks.filter(({ state }) => state === 'failed');
  const [first] = failed;
  if (!first) return terminal.answer({ baseUrl, checks });
  const names = new Intl.ListFormat('en').format(failed.map(({ name }) => name));
  throw new Failure(`${count(failed.length, 'check')} failed: ${names}.`, {
    code: first.code ?? 'doctor',
    nextAction: first.nextAction,
    details: { baseUrl, checks },
  });
}
