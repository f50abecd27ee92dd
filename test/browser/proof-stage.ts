import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describeInBrowser } from './browser';
import { DashboardStage } from './dashboard';
import { expectToFit, type Fit } from './fits';
import type { ProofPage } from './proof-pages';
import { hostileTexts, hostileWorld, type ProofWorld } from './proof-world';

/** `proof-probe.cjs`, for the pages of other tests. */
export const probe = readFileSync(join(__dirname, 'proof-probe.cjs'), 'utf8');

/** A stage with the world of the proofs, and what the proofs ask a page. */
export class ProofStage extends DashboardStage {
  found!: ProofWorld;

  constructor() {
    super({ deckOrigin: true });
    beforeAll(async () => {
      this.found = await hostileWorld(this.world);
    });
  }

  /** Asks the page, as `proof-probe.cjs` says. */
  ask<T = string[]>(question: string): Promise<T> {
    return this.page.evaluate<T>(`proof.${question}`);
  }

  /** Prepares the tab for its reader, and answers the address of the page. */
  async prepare({ as, at }: ProofPage): Promise<string> {
    await this.viewer.context.addInitScript({ content: probe });
    if (as !== 'nobody') await this.beginSession(this.found[as].session);
    return new URL(at(this.found, this.world), this.site).href;
  }

  /** Opens a page as its reader. */
  async visit(page: ProofPage): Promise<void> {
    await this.page.goto(await this.prepare(page));
    if (page.isDashboard) await this.settle();
    await page.then?.(this.page, this.found, this.world);
  }

  /** Looks at a page, and at what its reader opens there. */
  async look(page: ProofPage, at: (opened?: string) => Promise<void>): Promise<void> {
    await this.visit(page);
    await at();
    for (const [name, open] of Object.entries(page.opens ?? {})) {
      await open(this.page, this.found, this.world);
      await this.settle();
      await at(name);
      if ((await this.page.locator('dialog[open]').count()) === 0) continue;
      await this.page.keyboard.press('Escape');
      await this.page.locator('dialog').waitFor({ state: 'detached' });
    }
  }
}

/** Reads each page with the Tab key and with axe, at the looks of `fit`. */
export function provePages(stage: ProofStage, pages: readonly ProofPage[], fit?: Fit): void {
  describeInBrowser('a page', () => {
    test.each(pages.map((page) => [page.name, page] as const))('%s', async (_, page) => {
      await stage.look(page, async (opened) => {
        // What a person opens moves the rest of the page.
        const shifts = opened === undefined ? await stage.ask('shifts()') : [];
        await stage.page.emulateMedia({ reducedMotion: 'no-preference' });
        await tabThrough(stage);
        await stage.page.emulateMedia({ reducedMotion: 'reduce' });
        expect({ opened, ...(await findings(stage, shifts)) }).toEqual({ opened });
        await expectToFit(stage.page, fit);
      });
      const hosts = stage.viewer.answers.map(({ url }) => new URL(url).hostname);
      // An address that is data has no host.
      expect(hosts.filter((host) => host && !/^127\.0\.0\.1$|(^|\.)localhost$/.test(host))).toEqual([]);
      expect(stage.troubles.filter((trouble) => !page.expects?.test(trouble))).toEqual([]);
    });
  });
}

/** Presses Tab from the top of the page, or of its dialog, until each element was reached. */
async function tabThrough(stage: ProofStage): Promise<void> {
  // A page may begin in a field. Tab begins behind the element that had the focus last.
  await stage.page.evaluate(`{
    const top = document.querySelector('dialog[open]') ?? document.body;
    top.tabIndex = -1;
    top.focus();
    top.removeAttribute('tabindex');
  }`);
  await stage.page.evaluate('getSelection().removeAllRanges(); proof.watchFocus()');
  // A field for a date has several stops.
  const count = await stage.ask<number>('countStops()');
  for (let pressed = 0; pressed < 2 * count + 10; pressed++) {
    // No press reaches two stops.
    if (pressed >= count && (await stage.ask('unreached()')).length === 0) return;
    await stage.page.keyboard.press('Tab');
  }
}

const questions = [
  'harmed()',
  `unisolated(${JSON.stringify(hostileTexts)})`,
  'unreached()',
  'disordered()',
  'unseen()',
  'moving()',
];

/** What the page has to answer for, without the questions that found nothing. */
async function findings(stage: ProofStage, shifts: string[]): Promise<Record<string, string[]>> {
  const found: Record<string, string[]> = { shifts };
  for (const question of questions) found[question.replace(/\(.*/, '')] = await stage.ask(question);
  return Object.fromEntries(Object.entries(found).filter(([, answer]) => answer.length > 0));
}
