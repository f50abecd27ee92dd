// The lint rules that no package has.
import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { createNodeResolver } from 'eslint-plugin-import-x';
import ts from 'typescript';

/** Finds the file of an import as the compiler does: `./push.js` may be written in TypeScript. */
export const resolver = createNodeResolver({
  extensions: ['.ts', '.tsx', '.js', '.mjs', '.cjs', '.json'],
  extensionAlias: { '.js': ['.ts', '.tsx', '.js'] },
});

/** The relative paths that a text imports: its types and what it loads at run time, too. */
function sourcesIn(path, text) {
  const sources = [];
  const visit = (node) => {
    const isCall =
      ts.isCallExpression(node) && /^(import|require)$/.test(node.expression.getText(file)) && node.arguments[0];
    const source = node.moduleSpecifier ?? (ts.isImportTypeNode(node) ? node.argument.literal : isCall);
    if (source && ts.isStringLiteral(source) && source.text.startsWith('.')) sources.push(source.text);
    ts.forEachChild(node, visit);
  };
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest);
  visit(file);
  return sources;
}

const importsIn = (path, text) =>
  sourcesIn(path, text)
    .map((source) => resolver.resolve(source, path).path)
    .filter((imported) => /\.[cm]?[jt]sx?$/.test(imported ?? ''));

const known = new Map();
function importsOf(path) {
  if (!known.has(path)) known.set(path, importsIn(path, readFileSync(path, 'utf8')));
  return known.get(path);
}

/** The shortest way from a file back to itself. */
function circleOf(path, text) {
  const cameFrom = new Map(importsIn(path, text).map((imported) => [imported, path]));
  for (const [reached] of cameFrom) {
    if (reached === path) {
      const way = [path];
      do way.unshift(cameFrom.get(way[0]));
      while (way[0] !== path);
      return way;
    }
    for (const imported of importsOf(reached)) if (!cameFrom.has(imported)) cameFrom.set(imported, reached);
  }
  return undefined;
}

/** `import-x/no-cycle` passes over types: `a` imports a type of `b`, which imports `a`. */
const noCircle = {
  meta: { type: 'problem', schema: [], messages: { circle: 'The imports make a circle: {{way}}.' } },
  create: (context) => ({
    Program(node) {
      const way = circleOf(context.physicalFilename, context.sourceCode.text);
      const shown = way?.map((path) => relative(context.cwd, path)).join(' → ');
      if (way) context.report({ node, messageId: 'circle', data: { way: shown } });
    },
  }),
};

const OBJECT_LISTS = /^(entries|keys|values)$/;
const SAME_LENGTH = /^(entries|keys|values|map|sort|toSorted|reverse|toReversed)$/;
/** Whether a list cannot be empty: `each(…)` has counted it, or this file writes its entries. */
function isCounted(node, scope) {
  const inner = (other) => isCounted(other, scope);
  switch (node?.type) {
    case 'ArrayExpression':
      return node.elements.some((entry) => entry.type !== 'SpreadElement' || inner(entry.argument));
    case 'ObjectExpression':
      return node.properties.some((entry) => entry.type !== 'SpreadElement' || inner(entry.argument));
    case 'TSAsExpression':
    case 'TSSatisfiesExpression':
      return inner(node.expression);
    case 'NewExpression':
      return /^(Map|Set)$/.test(node.callee.name) && inner(node.arguments[0]);
    case 'Identifier':
      return isCounted(...initialOf(node.name, scope));
    case 'CallExpression':
      return isCountedCall(node, inner);
    default:
      return false;
  }
}

function isCountedCall({ callee, arguments: [given] }, inner) {
  if (callee.type === 'Identifier') return callee.name === 'each';
  if (callee.object?.name === 'Object' && OBJECT_LISTS.test(callee.property.name)) return inner(given);
  return SAME_LENGTH.test(callee.property?.name) && inner(callee.object);
}

/** What a constant of this file is declared as. */
function initialOf(name, scope) {
  const [definition] = scope?.set.get(name)?.defs ?? [];
  if (definition) return definition.parent?.kind === 'const' ? [definition.node.init, scope] : [];
  return scope ? initialOf(name, scope.upper) : [];
}

const countedLoops = {
  meta: {
    type: 'problem',
    schema: [],
    messages: { uncounted: 'If this list is empty, nothing is expected: count it, or write each(list).' },
  },
  create: ({ sourceCode, report }) => {
    const judge = (node, list, body) => {
      if (/\bexpect\w*\(/.test(sourceCode.getText(body)) && !isCounted(list, sourceCode.getScope(node)))
        report({ node: list, messageId: 'uncounted' });
    };
    return {
      ForOfStatement: (node) => judge(node, node.right, node.body),
      'CallExpression[callee.property.name=forEach]': (node) => judge(node, node.callee.object, node.arguments[0]),
    };
  },
};

/** Refuses members by where their types are declared, whatever the code calls the value that has them. */
const noMemberOf = {
  meta: {
    type: 'problem',
    schema: [{ type: 'object', properties: { declaredIn: { type: 'string' }, message: { type: 'string' } } }],
    messages: { member: '{{message}}' },
  },
  create({ options: [{ declaredIn, message }], sourceCode: { parserServices }, report }) {
    const shut = new RegExp(declaredIn);
    const judge = (node, owner, name) => {
      const member = parserServices.getTypeAtLocation(owner).getNonNullableType().getProperty(String(name));
      const isShut = member?.declarations?.some((declaration) => shut.test(declaration.getSourceFile().fileName));
      if (isShut) report({ node, messageId: 'member', data: { message } });
    };
    return {
      MemberExpression: ({ object, property }) => judge(property, object, property.name ?? property.value),
      'ObjectPattern > Property': ({ key, parent }) => judge(key, parent, key.name ?? key.value),
    };
  },
};

/** `{ ...{ a, b } }` only lays out lines, which is for the formatter. */
const noSpreadLiteral = {
  meta: { type: 'problem', schema: [], messages: { spread: 'Write the fields where they are spread.' } },
  create: ({ report }) => ({
    'SpreadElement > ObjectExpression': (node) => report({ node, messageId: 'spread' }),
  }),
};

export const lintRules = {
  rules: {
    'no-circle': noCircle,
    'no-spread-literal': noSpreadLiteral,
    'counted-loops': countedLoops,
    'no-member-of': noMemberOf,
  },
};
