import { join } from 'node:path';
import { defineConfig } from 'vite';
import { pdfAddress } from '../scripts/pdf-files.mjs';
import { addressesOf } from './site/addresses.mjs';
import { dashboardPolicy } from './site/dashboard-policy.mjs';
import { load } from './site/load.mjs';

const root = join(import.meta.dirname, '..');
/** The site of the running `npm start` beside which `npm run dev` serves the dashboard. */
const SITE = process.env.SITE ?? 'http://127.0.0.1:5000';

/** The dashboard. `vite build` puts it beside the other pages of the site, `vite` serves it with live reload. */
export default defineConfig(({ command }) => ({
  root: join(import.meta.dirname, 'dashboard'),
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  plugins: [addresses(command === 'build'), dashboardPaths(), house()],
  define: { 'import.meta.env.PDF_FOLDER': JSON.stringify(pdfAddress()) },
  resolve: {
    // The sources of the client library are outside of this package.
    alias: { 'deckhost-client/browser': join(root, 'client/src/index.browser.ts') },
    dedupe: ['preact'],
  },
  build: {
    outDir: join(import.meta.dirname, 'dist'),
    emptyOutDir: false,
    target: 'es2023',
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    rolldownOptions: {
      input: join(import.meta.dirname, 'dashboard/dashboard.html'),
      // What every page needs comes in two scripts, and not in one for each set of pages that share a module.
      output: {
        codeSplitting: {
          groups: [
            { name: 'words', test: /\/dashboard\/src\/words\/(?!activity|events|webhooks)/, priority: 1 },
            { name: 'first', tags: ['$initial'] },
          ],
        },
      },
    },
  },
  worker: { format: 'es' },
  // Everything but the dashboard comes from the Hosting of a running `npm start`. Hosting leads windows to the host of
  // the site; with these headers the pages stay beside the dashboard, and the calls for its session come from the site.
  server: {
    port: 5173,
    strictPort: true,
    proxy: {
      '^/(?!dashboard([/?.]|$)|@|src/|node_modules/)': {
        target: SITE,
        changeOrigin: true,
        headers: { 'sec-fetch-dest': 'empty', origin: new URL(SITE).origin },
      },
    },
  },
  clearScreen: false,
}));

/** Writes the addresses and the policy into the page. The server of Vite needs inline styles, so it gets no policy. */
function addresses(isBuilt) {
  const found = addressesOf(root, process.env.GCLOUD_PROJECT);
  const written = async () => (isBuilt ? [found.baseUrl, dashboardPolicy(found)] : [await serviceOfSite(), '']);
  return {
    name: 'addresses',
    transformIndexHtml: async (html) => {
      const [service, policy] = await written();
      return html.replace('%POLICY%', policy).replace('%SERVICE%', service);
    },
  };
}

/** The address of the functions, which the dashboard of the site names. */
async function serviceOfSite() {
  const page = await fetch(`${SITE}/dashboard`).then(
    (answer) => answer.text(),
    () => '',
  );
  const [, service] = /name="deckhost:service" content="([^"]+)"/.exec(page) ?? [];
  if (!service) throw new Error(`There is no dashboard at ${SITE}. Run \`npm start\` first, or name its site: SITE=…`);
  return service;
}

/** Every path of the dashboard gets the one page, as the rewrites in firebase.json say. */
function dashboardPaths() {
  const rewrite = (request, _response, next) => {
    if (/^\/dashboard(\/|\?|$)/.test(request.url)) request.url = '/dashboard.html';
    next();
  };
  return {
    name: 'dashboard paths',
    configureServer: ({ middlewares }) => void middlewares.use(rewrite),
    // Vite would reload the page only where its path is that of the file.
    hotUpdate({ file }) {
      if (!file.endsWith('/dashboard.html')) return undefined;
      this.environment.hot.send({ type: 'full-reload' });
      return [];
    },
  };
}

/** The style that all pages of the service share. */
function house() {
  const modules = {
    'virtual:house.css': async () => (await load('functions/src/house/style.ts')).houseCss,
    'virtual:cards.css': async () => (await load('functions/src/house/card-style.ts')).cardCss,
  };
  // A null byte before the id tells other plugins that it is not a file.
  return {
    name: 'house',
    resolveId: (id) => (id in modules ? `\0${id}` : undefined),
    load: (id) => modules[id.slice(1)]?.(),
  };
}
