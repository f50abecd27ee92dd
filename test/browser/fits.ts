import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { each } from '../support/each';

const widths = [390, 820, 1440] as const;
const schemes = ['light', 'dark'] as const;
/** The narrowest page in the light scheme, and the widest in the dark one. */
const SOME_LOOKS = [
  [widths[0], 'light'],
  [widths[2], 'dark'],
] as const;
export const everyLook = widths.flatMap((width) => schemes.map((scheme) => [width, scheme] as const));

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

export interface Fit {
  /** Rules of axe that the page cannot follow. */
  without?: readonly string[];
  looks?: readonly (readonly [(typeof widths)[number], (typeof schemes)[number]])[];
}

/** Expects that the open page fits the width of each look, without a violation of axe. */
export async function expectToFit(page: Page, { without = [], looks = SOME_LOOKS }: Fit = {}): Promise<void> {
  await page.evaluate(axe);
  const leftOut = Object.fromEntries(without.map((id) => [id, { enabled: false }]));
  for (const [width, colorScheme] of each(looks)) {
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
