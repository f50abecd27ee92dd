import { useState } from 'preact/hooks';
import { serviceUrl } from '../addresses';
import type { Contract } from '../service';
import { words } from '../words/en';
import './command-strip.css';
import { CopyButton } from './copy-button';

interface ApiCall {
  name: keyof Contract;
  method: 'GET' | 'POST';
  /** The query of a GET, the body of a POST. */
  input?: Record<string, unknown>;
}

interface CommandStripProps {
  /** The form for a terminal, if there is one: `deck links add q3 --name Anna`. Use `quoted` for texts of people. */
  command?: string;
  /** Absent for what takes several calls, such as a push. */
  call?: ApiCall;
}

/**
 * The `deck` and the curl form of what the page does or just did, to copy. The key stands in a variable of the shell.
 */
export function CommandStrip({ command, call }: CommandStripProps) {
  const [isCall, setCall] = useState(command === undefined);
  const text = call && isCall ? curlOf(call) : command;
  return (
    <details class="command-strip">
      <summary>{words.shell.commandTitle}</summary>
      {call && (
        <div class="forms" role="group" aria-label={words.shell.commandTitle}>
          {command !== undefined && (
            <button type="button" class="button small" aria-pressed={!isCall} onClick={() => setCall(false)}>
              {words.shell.command}
            </button>
          )}
          <button type="button" class="button small" aria-pressed={isCall} onClick={() => setCall(true)}>
            {words.shell.call}
          </button>
        </div>
      )}
      <div class="code">
        <pre tabIndex={0} dir="ltr" translate={false}>
          {text?.split(QUOTED).map((part) => (part.startsWith("'") ? <bdi>{part}</bdi> : part))}
        </pre>
        <CopyButton text={text ?? ''} isSmall />
      </div>
    </details>
  );
}

/** Texts of people in a command, as `quoted` writes them. Their direction must not reach the words behind them. */
const QUOTED = /('[^']*'(?:\\''[^']*')*)/;

/** A text as one word of a POSIX shell. */
export const quoted = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;

function curlOf({ name, method, input = {} }: ApiCall): string {
  const query = method === 'GET' ? new URLSearchParams(input as Record<string, string>).toString() : '';
  const lines = [
    `curl ${quoted(`${serviceUrl}/${name}${query && `?${query}`}`)}`,
    `  -H "Authorization: Bearer $DECK_API_KEY"`,
  ];
  if (method === 'POST') lines.push(`  --json ${quoted(JSON.stringify(input))}`);
  return lines.join(' \\\n');
}
