import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DashboardStage } from './dashboard';
import type { ProofPage } from './proof-pages';
import { hostileWorld, type ProofWorld } from './proof-world';

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
