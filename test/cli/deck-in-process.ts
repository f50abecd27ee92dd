import { readFileSync } from 'node:fs';
import { Readable } from 'node:stream';
import { Script } from 'node:vm';

/** What a command wrote, and its exit code. */
export interface Written {
  code: number;
  stdout: string;
  stderr: string;
}

type Main = (
  require: NodeJS.Require,
  module: object,
  exports: object,
  filename: string,
  process: Partial<NodeJS.Process>,
) => void;

/**
 * The built client as a function that runs one command in this process. Each call evaluates the bundle again, with a
 * `process` of its own: arguments, environment, streams and exit code. It has no terminal, and the width that COLUMNS
 * names; `input` is its standard input.
 */
export function deckInProcess(
  path: string,
): (args: readonly string[], env: NodeJS.ProcessEnv, input?: string) => Promise<Written> {
  const source = readFileSync(path, 'utf8').replace(/^#!.*/, '');
  const script = new Script(`(function (require, module, exports, __filename, process) {${source}\n})`, {
    filename: path,
  });
  // Outside of the sandbox of the test, as the classes of Node's modules are.
  const main = script.runInThisContext() as Main;
  return (args, env, input = '') =>
    new Promise((resolve) => {
      const streams = { stdout: '', stderr: '' };
      const stream = (name: keyof typeof streams) =>
        ({
          // A pipe is undefined here, and not false.
          isTTY: undefined,
          columns: Number(env['COLUMNS']) || undefined,
          on: () => undefined,
          write: (text: string) => {
            streams[name] += text;
            return true;
          },
        }) as unknown as NodeJS.WriteStream & { fd: 1 & 2 };
      const own = Object.create(process, {
        env: { value: env },
        argv: { value: [process.execPath, path, ...args] },
        stdin: { value: Readable.from([input]) },
        stdout: { value: stream('stdout') },
        stderr: { value: stream('stderr') },
        on: { value: () => own },
        exitCode: { set: (code: number) => resolve({ code, ...streams }) },
      }) as NodeJS.Process;
      const module = { exports: {} };
      main(require, module, module.exports, path, own);
    });
}
