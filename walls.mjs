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

const WRITE = '/^(set|create|update|delete)$/';
const notRecords = [
  {
    selector: `CallExpression[callee.type='MemberExpression'][callee.object.name='tx'][callee.property.name=${WRITE}]`,
    message: 'Write through a named verb of records/.',
  },
  {
    selector: `CallExpression[callee.property.name=${WRITE}][callee.object.type='CallExpression'][callee.object.callee.name=/Ref$/]`,
    message: 'Write through a named verb of records/.',
  },
  {
    selector:
      'CallExpression[callee.property.name=/^(collection|collectionGroup|runTransaction|bulkWriter|recursiveDelete)$/]',
    message: 'Only records/ names collections and opens transactions.',
  },
];
const HTML = 'Write HTML as a component in TSX, which escapes what is interpolated.';
const textWith = (pattern) => `:matches(TemplateElement[value.raw=${pattern}], Literal[value=${pattern}])`;
/** Texts such as `<code>` in a message are not HTML. What renders has none of them. */
const noHtml = [
  { selector: textWith('/<\\/[a-z]|<[a-z][a-z\\d]* [a-z-]+=/i'), message: HTML },
  { selector: 'JSXAttribute[name.name="dangerouslySetInnerHTML"]', message: HTML },
  { selector: 'Property[key.name="dangerouslySetInnerHTML"]', message: HTML },
];
const notPlainHtml = [{ selector: textWith('/<[a-z!]/i'), message: HTML }];
const BESIDE_THE_LOG = 'log.ts writes, without secrets.';
const noLogger = [
  { selector: "ImportSpecifier[imported.name='logger']", message: BESIDE_THE_LOG },
  { selector: "MemberExpression[object.name='console']", message: BESIDE_THE_LOG },
];

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
      'functions/{src,reference,runtime}/**/*.{ts,tsx}',
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
    rules: { 'house/no-circle': 'error' },
  },
  ...Object.entries(all).map(([name, room]) => ({
    files: filesOf(room),
    plugins: { '@typescript-eslint': tseslint.plugin },
    rules: {
      '@typescript-eslint/no-restricted-imports': ['error', { patterns: patternsOf(name, room) }],
      ...((name === 'dashboard' || name === 'site') && { 'no-restricted-syntax': ['error', ...noHtml] }),
      ...(name in rooms && {
        'no-restricted-syntax': [
          'error',
          ...(name === 'log' ? [] : noLogger),
          ...(name === 'records' ? [] : notRecords),
          ...(name === 'contract' || name === 'endpoints' ? typedCodes : []),
          ...noHtml,
          ...(['house', 'pages', 'mail'].includes(name) ? notPlainHtml : []),
        ],
        'no-restricted-globals': ['error', ...browserGlobals],
      }),
    },
  })),
];
