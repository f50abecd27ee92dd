// The lint rules that hold the walls between the rooms; made from rooms.mjs.
import tseslint from 'typescript-eslint';
import { importX } from 'eslint-plugin-import-x';
import { lintRules, resolver } from './lint-rules.mjs';
import { neighbours, rooms } from './rooms.mjs';

const all = { ...rooms, ...neighbours };
const root = import.meta.dirname;
const filesOf = ({ path }) => (path.endsWith('.ts') ? [path] : [`${path}/**/*.{ts,tsx}`]);

/** Where a package may be installed. */
const foldersOf = (name) => [`node_modules/${name}`, `web/node_modules/${name}`];

/** Everything that a room may reach; all the rest of the repository is shut to it. */
function zoneOf(name, { path, imports, types = [], packages, isFlat }) {
  const open = [...imports, ...types].map((each) => all[each].path);
  const typesOnly = ['node_modules/@types'];
  const installed = packages.includes('*') ? ['node_modules'] : packages.flatMap(foldersOf);
  return {
    target: `./${path}`,
    from: '.',
    except: [
      ...(isFlat ? [] : [path]),
      ...open,
      ...installed,
      ...typesOnly,
      'cli/package.json',
      'client/package.json',
      'functions/package.json',
    ].map((each) => `./${each}`),
    message: `rooms.mjs does not let ${name} import it.`,
  };
}

/** Modules of Node, types of rooms whose values are shut, and the connection to the database. */
function patternsOf(name, { types = [], builtins }) {
  const escaped = (builtins ?? []).map((each) => `${each.replace(/[/.]/g, '\\$&')}$`);
  return [
    ...(builtins
      ? [
          {
            regex: escaped.length > 0 ? `^(?!${escaped.join('|')})node:` : '^node:',
            message: `rooms.mjs does not let ${name} import this module of Node.`,
            allowTypeImports: true,
          },
          { regex: '^(fs|net|http|https|child_process|path|os)(/|$)', message: 'Write node: before a module of Node.' },
        ]
      : []),
    ...types.map((each) => ({
      regex: `(^|/)${all[each].path.replace(/^functions\/src\//, '').replace(/\.ts$/, '')}(/|$)`,
      allowTypeImports: true,
      message: `rooms.mjs lets ${name} import only types of ${each}.`,
    })),
    ...(name === 'records' || name === 'operator'
      ? []
      : [
          {
            regex: '/records/database$',
            importNames: ['db'],
            message: 'Only records/ talks to the database: read with read(), write with a named verb of records/.',
          },
        ]),
  ];
}

/** The declarations whose members only records/ uses: our transaction, and everything of the client of Firestore. */
const DATABASE = String.raw`records/transaction\.ts$|node_modules/@google-cloud/firestore/`;
const HTML = 'Write HTML as a component in TSX, which escapes what is interpolated.';
const textWith = (pattern) => `:matches(TemplateElement[value.raw=${pattern}], Literal[value=${pattern}])`;
/** Texts such as `<code>` in a message are not HTML. What renders has none of them. */
const noHtml = [
  { selector: textWith('/<\\/[a-z]|<[a-z][a-z\\d]* [a-z-]+=/i'), message: HTML },
  { selector: 'JSXAttribute[name.name="dangerouslySetInnerHTML"]', message: HTML },
  { selector: 'Property[key.name="dangerouslySetInnerHTML"]', message: HTML },
];
/** Effects run after the paint, and so does their end: the focus would leave what a person has reached meanwhile. */
const afterPaint = {
  selector: "CallExpression[callee.name='useEffect'] Identifier[name=/^(focus|showModal|addEventListener)$/]",
  message: 'Move the focus and begin to listen in useLayoutEffect: useEffect runs after the paint, and may be late.',
};
const notPlainHtml = [{ selector: textWith('/<[a-z!]/i'), message: HTML }];
const noLogger = [
  { selector: "ImportSpecifier[imported.name='logger']", message: 'log.ts writes, without secrets.' },
  {
    selector: "ImportExpression[source.value=/^node:/], ImportExpression:not([source.type='Literal'])",
    message: 'Import a module of Node at the top.',
  },
];
/** The globals that reach outside of the code without an import. A room uses those that rooms.mjs names. */
const REACHING = {
  console: 'log.ts writes, without secrets.',
  process: 'config.ts reads the environment, and log.ts writes.',
  fetch: 'A call of a backend has a deadline: see deadlines.ts.',
  WebSocket: 'A call of a backend has a deadline: see deadlines.ts.',
  require: 'Import it.',
  module: 'Import it.',
  globalThis: 'Name the global.',
  global: 'Name the global.',
  eval: 'Code is not made of texts.',
  Function: 'Code is not made of texts.',
};
const reachingFrom = ({ globals = [] }) =>
  Object.entries(REACHING)
    .filter(([name]) => !globals.includes(name))
    .map(([name, message]) => ({ name, message }));

const CODE = '/^([A-Z]+(_[A-Z]+)+|[a-z]+(-[a-z]+)+)$/';
const typedCodes = ['min', 'max', 'regex', 'refine', 'string', 'int'].map((method) => ({
  selector: `CallExpression[callee.property.name='${method}'] > Literal[value=${CODE}]`,
  message: "Write a code of the catalogue as code('…'): a misspelt one does not compile.",
}));
typedCodes.push({ ...typedCodes[0], selector: `Property[key.name='error'] > Literal[value=${CODE}]` });

/** The types of Preact declare the globals of browsers. The functions run in Node. */
const browserGlobals = [
  'document',
  'window',
  'name',
  'location',
  'origin',
  'status',
  'event',
  'length',
  'self',
  'parent',
].map((each) => ({ name: each, message: 'Node does not have it.' }));

/** @type {import('typescript-eslint').ConfigArray} */
export const walls = [
  {
    files: [
      'functions/{src,reference,runtime,agents}/**/*.{ts,tsx}',
      'client/src/**/*.ts',
      'cli/src/**/*.ts',
      'web/{dashboard/src,site}/**/*.{ts,tsx}',
      'local/**/*.ts',
      'emulators/**/*.ts',
      'operator/**/*.ts',
      'deploy/**/*.ts',
    ],
    languageOptions: { parser: tseslint.parser },
    plugins: { 'import-x': importX },
    settings: { 'import-x/resolver-next': [resolver] },
    rules: {
      'import-x/no-restricted-paths': [
        'error',
        { basePath: root, zones: Object.entries(all).map(([name, room]) => zoneOf(name, room)) },
      ],
    },
  },
  {
    files: ['**/*.{ts,tsx,mjs,cjs}'],
    languageOptions: { parser: tseslint.parser },
    plugins: { house: lintRules },
    rules: { 'house/no-circle': 'error', 'house/no-spread-literal': 'error' },
  },
  ...Object.entries(all).map(([name, room]) => ({
    files: filesOf(room),
    plugins: { '@typescript-eslint': tseslint.plugin, house: lintRules },
    rules: {
      '@typescript-eslint/no-restricted-imports': ['error', { patterns: patternsOf(name, room) }],
      ...((name === 'dashboard' || name === 'site') && { 'no-restricted-syntax': ['error', ...noHtml, afterPaint] }),
      ...(name in rooms && {
        'no-restricted-syntax': [
          'error',
          ...(name === 'log' ? [] : noLogger),
          ...(name === 'contract' || name === 'endpoints' ? typedCodes : []),
          ...noHtml,
          ...(['house', 'pages', 'mail'].includes(name) ? notPlainHtml : []),
        ],
        'no-restricted-globals': ['error', ...browserGlobals, ...reachingFrom(room)],
        'house/no-member-of': [
          name === 'records' ? 'off' : 'error',
          { declaredIn: DATABASE, message: 'Read with read(), write through a named verb of records/.' },
        ],
      }),
    },
  })),
];
