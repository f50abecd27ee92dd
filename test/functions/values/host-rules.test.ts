import { readHeaders, readRedirects, type HostRule } from '../../../functions/src/values/host-rules';

const shown = (rules: HostRule[]) => rules.map(({ line, text }) => `${line} ${text}`);

describe('redirects', () => {
  test.each([
    ['index.html', '/* /index.html 200'],
    ['index.html', '/*    /index.html   200'],
    ['index.html', '/*\t/index.html\t200'],
    ['index.html', '/* /index.html 200!'],
    ['index.html', '/* / 200'],
    ['index.html', '/* /index 200'],
    ['index.html', '# an app\r\n/api/* https://api.example/:splat 200\r\n/* /index.html 200 # all others\r\n'],
    ['index.html', '  /* /index.html 200  '],
    ['app/index.html', '/* /app/index.html 200'],
    ['app/index.html', '/* /app/ 200'],
    ['app/index.html', '/* /app 200'],
    ['deck.html', '/* /deck.html 200'],
    ['deck.html', '/* /deck 200'],
    // What `slidev build --base ./` writes.
    ['index.html', './*    ./index.html   200\n'],
    ['index.html', './* ./ 200'],
  ])('make a single-page app of %s: %j', (entryPath, rules) =>
    expect(readRedirects(rules, entryPath).isSinglePageApp).toBe(true),
  );

  const others = `#/* /index.html 200
    # /* /index.html 200
    /* /index.html
    /* /index.html 301
    /* /index.html 404
    /* /index.html 2000
    /* /index.html 200 Country=us
    /* a=:a /index.html 200
    /app/* /index.html 200
    /** /index.html 200
    /* /other.html 200
    /* https://evil.example/ 200
    /* //evil.example 200
    /* index.html 200
    ../* /index.html 200
    /* .//evil.example 200
    ././* /index.html 200
    ./* ./other.html 200`;
  test.each(['', ...others.split(/\n +/)])('do not make one: %j', (rules) => {
    expect(readRedirects(rules, 'index.html').isSinglePageApp).toBe(false);
  });

  test('of one page do not make an app of another page', () => {
    expect(readRedirects('/* /index.html 200', 'deck.html').isSinglePageApp).toBe(false);
  });

  test('without effect are told with their lines', () => {
    const text = '# an app\n/old /new 301 # moved\n\n/* /index.html 200\n./* / 200!\r\n/* /other.html 200';
    const { rules, unused } = readRedirects(text, 'index.html');
    expect(shown(unused)).toEqual(['2 /old /new 301', '6 /* /other.html 200']);
    expect(shown(rules)).toEqual(['2 /old /new 301', '4 /* /index.html 200', '5 ./* / 200!', '6 /* /other.html 200']);
  });
});

const OPENER = 'Cross-Origin-Opener-Policy: same-origin';
const EMBEDDER = 'Cross-Origin-Embedder-Policy: require-corp';

describe('headers', () => {
  test.each([
    ['require-corp', `/*\n  ${OPENER}\n  ${EMBEDDER}\n`],
    ['credentialless', `/*\n  ${OPENER}\n  Cross-Origin-Embedder-Policy: credentialless`],
    // In any order and case, with tabs, other line ends and comments, and without indentation.
    ['require-corp', `\ufeff# all\r\n/*\r\n\tcross-origin-embedder-policy:require-corp\r\n# and\r\n${OPENER}`],
    ['require-corp', `/*\n  ${OPENER}\n/a.js\n  X-A: b\n/*\n  ${EMBEDDER}`],
    ['require-corp', `/*\n  ${OPENER}\n  ${EMBEDDER}\n/index.html\n  Cross-Origin-Embedder-Policy: unsafe-none`],
  ])('isolate a deck with %s: %j', (isolation, text) => expect(readHeaders(text).isolation).toBe(isolation));

  test.each([
    '',
    '/*',
    `${OPENER}\n${EMBEDDER}`,
    `/*\n  ${OPENER}`,
    `/*\n  ${EMBEDDER}`,
    `/*\n# ${OPENER}\n  ${EMBEDDER}`,
    `/*\n  ${OPENER}\n/app/*\n  ${EMBEDDER}`,
    `/app/*\n  ${OPENER}\n  ${EMBEDDER}`,
    `/\n  ${OPENER}\n  ${EMBEDDER}`,
    `https://deck.example/*\n  ${OPENER}\n  ${EMBEDDER}`,
    `/*\n  ${OPENER}\n  Cross-Origin-Embedder-Policy: unsafe-none`,
    `/*\n  ${OPENER}\n  Cross-Origin-Embedder-Policy: Require-Corp`,
    `/*\n  ${OPENER}\n  ${EMBEDDER}; report-to="a"`,
    `/*\n  ${OPENER}-allow-popups\n  ${EMBEDDER}`,
    `/*\n  ${OPENER}\n  ${EMBEDDER}-Report-Only: require-corp`,
    // A host joins the values of one name, which browsers do not understand.
    `/*\n  ${OPENER}\n  ${EMBEDDER}\n  ${EMBEDDER}`,
    `/*\n  ${OPENER}\n  ${OPENER}\n/*\n  ${EMBEDDER}`,
  ])('do not isolate it: %j', (text) => {
    const { isolation, rules, unused } = readHeaders(text);
    expect([isolation, unused]).toEqual([null, rules]);
  });

  test('without effect are told with their paths and lines', () => {
    const text = `/*\n  ${OPENER}\n  X-Frame-Options: DENY\n  ${EMBEDDER}\n\n/*.js\n  Link: <https://a.example>; rel=x`;
    expect(shown(readHeaders(text).unused)).toEqual([
      '3 /* X-Frame-Options: DENY',
      '7 /*.js Link: <https://a.example>; rel=x',
    ]);
  });
});
