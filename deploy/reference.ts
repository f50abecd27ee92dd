import { steps } from './steps';
import { deployRoles } from './deploy-roles';
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
    rights: `${rightsTable()}\n\n${grants()}`,
    safeguards: table(
      ['setting', 'without it', 'what it does', 'price in US dollars'],
      safeguards.map(({ setting, standard, about, price }) => [`\`${setting}\``, `\`${standard}\``, about, price]),
    ),
  };
}

function rightsTable(): string {
  return table(
    ['role', 'why'],
    deployRoles.map(({ name, reason, onlyFor }) => [
      `\`${name}\``,
      onlyFor ? `only for ${onlyFor}: ${reason}` : reason,
    ]),
  );
}

/** The commands of an owner. Roles that only a part of the deploys needs are granted one by one. */
function grants(): string {
  const names = deployRoles.filter(({ onlyFor }) => !onlyFor).map(({ name }) => name.replace('roles/', ''));
  const AT_ONCE = 4;
  const lines = names.flatMap((_, i) => (i % AT_ONCE === 0 ? [names.slice(i, i + AT_ONCE).join(' ')] : []));
  return [
    'An owner grants the roles that every deploy needs:',
    '',
    '```sh',
    'member=serviceAccount:deployer@<project>.iam.gserviceaccount.com',
    `for role in ${lines.join(' \\\n  ')}; do`,
    '  gcloud projects add-iam-policy-binding <project> --member="$member" --role="roles/$role" --condition=None',
    'done',
    '```',
  ].join('\n');
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
