import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';

export const widths = [390, 820, 1440] as const;
export const schemes = ['light', 'dark'] as const;
/** By how much the page or a dialog is too wide. */
const OVERFLOW = `Math.max(...[document.documentElement, ...document.querySelectorAll('dialog[open]')]
  .map(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth))`;
/** What is behind a dialog can neither be reached nor read. */
const ROOT = `document.querySelector('dialog[open]') ?? document`;

/** axe without the names and comments of its source: the browser compiles it for every page. */
const axe = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');

/** The rules that look at colours. The others find the same in both schemes. */
const COLOUR_RULES = ['color-contrast', 'link-in-text-block'];

interface Found {
  violations: { id: string; nodes: { html: string }[] }[];
}

/**
 * Expects that the open page fits phones, tablets and desktops in both schemes, without a violation of axe. `without`
 * names rules that the page cannot follow.
 */
export async function expectToFit(page: Page, { without = [] as string[] } = {}): Promise<void> {
  await page.evaluate(axe);
  const leftOut = Object.fromEntries(without.map((id) => [id, { enabled: false }]));
  for (const width of widths) {
    for (const colorScheme of schemes) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: 900 });
      const rules = colorScheme === 'dark' && { runOnly: { type: 'rule', values: COLOUR_RULES } };
      // What is in a frame is not the page's.
      const options = { resultTypes: ['violations'], iframes: false, rules: leftOut, ...rules };
      const { violations } = await page.evaluate<Found>(`axe.run(${ROOT}, ${JSON.stringify(options)})`);
      const seen = violations.map(({ id, nodes }) => [id, nodes.slice(0, 3).map(({ html }) => html)]);
      expect({ width, colorScheme, seen }).toEqual({ width, colorScheme, seen: [] });
      expect({ width, overflow: await page.evaluate(OVERFLOW) }).toEqual({ width, overflow: 0 });
    }
  }
}
