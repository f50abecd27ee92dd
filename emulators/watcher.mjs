// Runs a program for program.ts, in the process group of this process. The program ends when standard input closes: the
// parent has written `stop`, or the parent was killed. In the second case nobody else cleans up, so this process
// deletes the parent's temporary folders and kills what is left of the group. A pipe is used because it closes even
// after `kill -9` of the parent.
import { spawn, spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { setTimeout } from 'node:timers';

const { command, temporary, stopMs } = JSON.parse(process.argv[2]);
const isWindows = process.platform === 'win32';
const stdio = ['ignore', 'inherit', 'inherit'];
// The command `firebase` is a .cmd file on Windows, which only a shell can start.
const child = isWindows
  ? spawn(command.map((part) => `"${part.replaceAll('"', '""')}"`).join(' '), { stdio, shell: true })
  : spawn(command[0], command.slice(1), { stdio });
let isAsked = false;
let isStopping = false;

child.on('error', (error) => {
  console.error(error.message);
  end(127);
});
child.on('exit', (code) => end(code ?? 1));
process.stdin.on('data', () => (isAsked = true));
for (const event of ['end', 'error']) process.stdin.on(event, stop);

function stop() {
  if (isStopping) return;
  isStopping = true;
  if (isWindows) spawnSync('taskkill', ['/T', '/F', '/PID', String(child.pid)]);
  else child.kill('SIGINT');
  // The parent kills the group when it has asked.
  setTimeout(() => end(1), stopMs);
}

function end(code) {
  if (isStopping && !isAsked) {
    for (const folder of temporary) rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
    if (!isWindows) process.kill(-process.pid, 'SIGKILL');
  }
  process.exit(code);
}
