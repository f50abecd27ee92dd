import { steps } from './steps';
import { apis, roles, safeguards } from './tables';

/** The tables of docs/deploy.md, by the name of their marker. */
export function deployTables(): Record<string, string> {
  return {
    steps: table(
      ['step', 'what is true after it'],
      steps.map(({ name, about }) => [`\`${name}\``, about]),
    ),
    apis: table(
      ['API', 'why'],
      apis.map(({ name, reason }) => [`\`${name}\``, reason]),
    ),
    roles: table(
      ['role', 'on', 'why'],
      roles.map(({ name, on, reason }) => [`\`${name}\``, on, reason]),
    ),
    safeguards: table(
      ['setting', 'without it', 'what it does', 'price in US dollars'],
      safeguards.map(({ setting, standard, about, price }) => [`\`${setting}\``, `\`${standard}\``, about, price]),
    ),
  };
}

function table(heads: readonly string[], rows: readonly string[][]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(heads), `|${'---|'.repeat(heads.length)}`, ...rows.map(line)].join('\n');
}

/** A document whose tables between `<!-- name -->` and `<!-- /name -->` are made from the code. */
export function withTables(document: string): string {
  return Object.entries(deployTables()).reduce(
    (text, [name, made]) =>
      text.replace(
        new RegExp(`<!-- ${name} -->[^]*<!-- /${name} -->`),
        () => `<!-- ${name} -->\n\n${made}\n\n<!-- /${name} -->`,
      ),
    document,
  );
}
