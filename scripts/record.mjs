// `npm run record`: runs a real session with the client against a new local cloud, in a pseudo-terminal, and writes
// what the terminal showed to docs/session.svg. `-- <file>` writes another file.
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import process from 'node:process';
import { buildChanged } from './build.mjs';
import { installMissing } from './install.mjs';
import { newestCode, withCloud } from './recorded-cloud.mjs';
import { root } from './root.mjs';
import { drawTerminal } from './terminal-svg.mjs';

const EMAIL = 'ada@example.com';
const page = (text) => `<!doctype html><title>Spring plan</title><h1>${text}</h1>`;

/** What the session does. `answers` are typed when their question appears. `before` changes the folder unseen. */
const steps = [
  {
    command: ['signup'],
    answers: [
      ['Email address:', () => EMAIL],
      ['Code from the mail:', (mailUrl) => newestCode(mailUrl, EMAIL)],
      ['First name:', () => 'Ada'],
    ],
  },
  { command: ['push', 'talk'] },
  { before: () => writeFileSync(join(home, 'talk/index.html'), page('Spring, revised')), command: ['push', 'talk'] },
  { command: ['links', 'add', 'board', '--pin', '1', '--deck', 'talk'] },
  { command: ['links', 'talk'] },
];

const home = mkdtempSync(join(tmpdir(), 'deck-session-'));
mkdirSync(join(home, 'talk'));
writeFileSync(join(home, 'talk/index.html'), page('Spring'));
writeFileSync(join(home, 'talk/style.css'), 'h1 { color: teal }\n');

await installMissing();
await buildChanged();
try {
  await withCloud(record);
} finally {
  rmSync(home, { recursive: true, force: true });
}

async function record({ baseUrl, mailUrl, hostingUrl }) {
  const shown = [];
  for (const { before, command, answers = [] } of steps) {
    before?.();
    const output = await runInTerminal(command, { baseUrl, mailUrl, answers });
    shown.push(`\x1b[2m$\x1b[22m \x1b[1mdeck ${command.join(' ')}\x1b[22m\n${output}`);
  }
  const text = withoutSecrets(shown.join('\n'), { baseUrl, hostingUrl });
  const file = resolve(process.argv[2] ?? join(root, 'docs/session.svg'));
  writeFileSync(
    file,
    drawTerminal(text, 'A session with deck: sign up, push a folder, push it again, share it by links'),
  );
}

/** Runs `deck` in a pseudo-terminal of 100 columns. Resolves with everything that the terminal received. */
async function runInTerminal(command, { baseUrl, mailUrl, answers }) {
  const words = [process.execPath, join(root, 'cli/dist/deck.js'), ...command].map((word) => `'${word}'`).join(' ');
  const child = spawn('script', ['-qec', `stty cols 100; ${words}`, '/dev/null'], {
    cwd: home,
    env: {
      PATH: process.env.PATH,
      HOME: home,
      XDG_CONFIG_HOME: join(home, '.config'),
      DECK_BASE_URL: baseUrl,
      CHROME_PATH: 'none',
      TERM: 'xterm',
    },
    stdio: ['pipe', 'pipe', 'inherit'],
    // A question that this script does not know would wait for ever.
    timeout: 60_000,
  });
  let output = '';
  let seen = 0;
  const open = [...answers];
  for await (const chunk of child.stdout.setEncoding('utf8')) {
    output += chunk;
    const next = open.findIndex(([question]) => output.includes(question, seen));
    if (next < 0) continue;
    const [[, answer]] = open.splice(next, 1);
    seen = output.length;
    child.stdin.write(`${await answer(mailUrl)}\n`);
  }
  if (open.length > 0) throw new Error(`deck ${command.join(' ')} did not ask for ${open[0][0]}:\n${output}`);
  return output;
}

/**
 * The output with what differs in each run replaced: the secrets, which end with the local cloud, the ids, the ports
 * and the folders.
 */
function withoutSecrets(text, { baseUrl, hostingUrl }) {
  // Each link keeps a token of its own.
  const tokens = [...new Set(text.match(/token=[\w-]{64}/g))];
  const shownTokens = ['Vw3k', 'p9Zd'];
  return text
    .replaceAll(baseUrl, 'https://api.example.com')
    .replaceAll(hostingUrl, 'https://decks.example.com')
    .replaceAll(home, '~')
    .replaceAll(/token=[\w-]{64}/g, (token) => `token=${shownTokens[tokens.indexOf(token)]}…`)
    .replaceAll(/\b[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}\b/g, '0198c5f2')
    .replaceAll(/\bck[oas]_\w+/g, 'cko_7Qx4')
    .replaceAll(/127\.0\.0\.1-\d+/g, 'decks')
    .replaceAll(/(?<!\d)\d{6}(?!\d)/g, '482913')
    .replaceAll(/(\r?\n){3,}/g, '\n\n');
}
