// Makes docs/stored-data.md: what web/site/stored-data.ts says about each collection of the database and each folder of
// the bucket, and the fields of the documents, which are found in the code.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

const HEAD = `# Stored data

\`npm run docs\` makes this page from \`web/site/stored-data.ts\`, which does not compile without a row for each collection,
and from the schemas in \`functions/src/records/\`. [data-protection.md](data-protection.md) says who processes the data
and how people get it. Operators of the service see everything; the column *seen by* has who else does.

*Deleted at once* is what the call \`deleteAccount\` does; *the job* is \`deleteAccounts\`, which continues it.`;

/**
 * The text of docs/stored-data.md. `root` is the folder of the project. Throws for a collection without a schema, and
 * for a row about an unknown field.
 */
export function storedDataPage(root, { storedData, storedObjects }) {
  const schemas = storedFields(join(root, 'functions'));
  const collections = Object.entries(storedData);
  return [
    HEAD,
    '## Collections',
    table(
      ['collection', 'what it holds about people', 'seen by', 'how long', 'when the account is deleted'],
      collections.map(([name, row]) => [`\`${name}\``, ...columnsOf(row)]),
    ),
    '## Fields',
    'The ids of documents are those of `functions/src/records/collections.ts`.',
    table(
      ['collection', 'fields', 'when the account is deleted'],
      collections.flatMap(([name, row]) => fieldRows(name, row, schemas.get(name))),
    ),
    '## The bucket',
    table(
      ['folder', 'what it holds about people', 'seen by', 'how long', 'when the account is deleted'],
      Object.values(storedObjects).map((row) => [`\`${row.folder}\``, ...columnsOf(row)]),
    ),
    '',
  ].join('\n\n');
}

const columnsOf = ({ what, seenBy, until, atDeletion }) => [what ?? 'Nothing', seenBy ?? '', until ?? '', atDeletion];

/** One row for the fields of which the same becomes. */
function fieldRows(name, { atDeletion, fields = {} }, schema) {
  if (!schema) throw new Error(`functions/src/records: ${name} has no schema.`);
  for (const field of Object.keys(fields))
    if (!schema.has(field)) throw new Error(`web/site/stored-data.ts: ${name} has no field ${field}.`);
  const fates = new Map();
  for (const field of schema) {
    const fate = [atDeletion, ...(fields[field] ? [fields[field]] : [])].join('. ');
    fates.set(fate, [...(fates.get(fate) ?? []), `\`${field}\``]);
  }
  return [...fates].map(([fate, names]) => [`\`${name}\``, names.join(', '), fate]);
}

function table(head, rows) {
  const lineOf = (cells) => `| ${cells.join(' | ')} |`;
  return [lineOf(head), `|${'---|'.repeat(head.length)}`, ...rows.map(lineOf)].join('\n');
}

/** The fields of the documents of each collection: those of the schemas that the records give to \`collection()\`. */
function storedFields(functions) {
  const records = join(functions, 'src/records');
  const files = readdirSync(records)
    .filter((name) => name.endsWith('.ts'))
    .map((name) => join(records, name));
  const { options } = ts.getParsedCommandLineOfConfigFile(join(functions, 'tsconfig.json'), {}, ts.sys);
  const program = ts.createProgram(files, options);
  const checker = program.getTypeChecker();
  const found = new Map();
  const visit = (node) => {
    if (ts.isCallExpression(node) && node.expression.getText() === 'collection') {
      const [path, given] = node.arguments;
      const [, name] = /^paths\.(\w+)/.exec(path.getText());
      const schema = checker.getTypeAtLocation(given);
      const output = checker.getTypeOfSymbol(schema.getProperty('_output'));
      const fields = (output.isUnion() ? output.types : [output]).flatMap((type) => type.getProperties());
      found.set(name, new Set([...(found.get(name) ?? []), ...fields.map((field) => field.name)]));
    }
    ts.forEachChild(node, visit);
  };
  for (const file of files) visit(program.getSourceFile(file));
  return found;
}
