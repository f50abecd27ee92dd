import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { links } from '../../functions/src/house/tokens.json';
import { startHosting, type Hosting, type HostingConfig } from '../../local/hosting';
import { projectRoot } from '../../local/project';
import { buildSite } from '../site/pages';
import { each } from '../support/each';
import { describeInBrowser, launch, Viewer } from './browser';

describeInBrowser('the static pages in a browser', () => {
  let browser: Browser;
  let hosting: Hosting;
  let viewer: Viewer;
  beforeAll(async () => {
    buildSite();
    const { hosting: config } = JSON.parse(readFileSync(join(projectRoot, 'firebase.json'), 'utf8')) as {
      hosting: HostingConfig;
    };
    // No page under test is one of the functions.
    hosting = await startHosting({ config, root: projectRoot, functionsBaseUrl: 'http://127.0.0.1:1' });
    browser = await launch();
  });
  afterAll(async () => {
    await browser?.close();
    await hosting?.close();
  });
  beforeEach(async () => {
    viewer = await Viewer.arrive(browser);
  });
  afterEach(() => viewer.leave());

  test('a missing page says so in its title', async () => {
    await viewer.page.goto(`${hosting.url}/docs/absent`);
    expect(await viewer.page.title()).toBe('Page not found · Deckhost');
  });

  test('each page has the icon, the header and the footer, whose links lead to pages', async () => {
    for (const path of ['/', '/docs/guides/ci', '/absent']) {
      await viewer.page.goto(hosting.url + path);
      const icons = await viewer.page.$$eval('link[rel=icon]', (found) =>
        found.map((each) => (each as HTMLLinkElement).href),
      );
      const types = await Promise.all(icons.map(async (icon) => (await fetch(icon)).headers.get('content-type')));
      expect(types).toEqual([expect.stringMatching(/icon/), 'image/svg+xml']);
      for (const [frame, list] of each(Object.entries(links))) {
        const found = await viewer.page.$$eval(`${frame} nav a`, (all) => all.map((each) => each.getAttribute('href')));
        expect(found).toEqual(list.map((each) => each.path));
      }
    }
  });

  test('the commands of the home page are copied without prompts, and without scripts there is no button', async () => {
    await viewer.context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await viewer.page.goto(hosting.url);
    // The page says it for two seconds.
    const said = viewer.page.getByRole('status').getByText('Copied.').waitFor();
    await viewer.page.getByRole('button', { name: 'Copy' }).click();
    await said;
    const lines = (await viewer.page.locator('.commands code:not(.answer)').allTextContents()).join('\n');
    const copied = await viewer.page.evaluate<string>('navigator.clipboard.readText()');
    expect(copied).toBe(lines.replaceAll('$ ', ''));
    expect(copied).toMatch(/^npm install .*\n.*\n.*\ndeck push my-talk\/$/);
    expect(viewer.troubles).toEqual([]);
    await viewer.leave();
    viewer = await Viewer.arrive(browser, { javaScriptEnabled: false });
    await viewer.page.goto(hosting.url);
    expect(await viewer.page.getByRole('button').count()).toBe(0);
  });

  test('texts for agents have their types, and pages cannot be framed', async () => {
    const typeOf = async (path: string) => (await fetch(hosting.url + path)).headers.get('content-type');
    expect(await typeOf('/docs/api/getUsage.md')).toBe('text/markdown; charset=utf-8');
    expect(await typeOf('/docs.md')).toBe('text/markdown; charset=utf-8');
    expect(await typeOf('/llms.txt')).toMatch(/^text\/plain/);
    expect(await typeOf('/openapi.json')).toMatch(/^application\/json/);
    for (const path of ['/', '/docs', '/docs/api/getUsage'])
      expect((await fetch(hosting.url + path)).headers.get('content-security-policy')).toBe("frame-ancestors 'none'");
  });
});
