import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describeInBrowser } from './browser';
import { DashboardStage } from './dashboard';
import { expectToFit } from './fits';
import { proofPages, type ProofPage } from './proof-pages';
import { hostileTexts, hostileWorld, type ProofWorld } from './proof-world';

const probe = readFileSync(join(__dirname, 'proof-probe.cjs'), 'utf8');
const stage = new DashboardStage({ deckOrigin: true });

let found: ProofWorld;
beforeAll(async () => {
  found = await hostileWorld(stage.world);
});

const ask = <T = string[]>(question: string) => stage.page.evaluate<T>(`proof.${question}`);

/** Opens a page as its reader. The tab has the session before the page loads. */
async function visit({ as, at, then, isDashboard }: ProofPage): Promise<void> {
  await stage.viewer.context.addInitScript({ content: probe });
  if (as !== 'nobody') await stage.beginSession(found[as].session);
  await stage.page.goto(new URL(at(found, stage.world), stage.world.cloud.hostingUrl).href);
  if (isDashboard) await stage.settle();
  await then?.(stage.page, found, stage.world);
}

/** Presses Tab until each element was reached, and then as often again as it takes to come back to the first one. */
async function tabThrough(): Promise<void> {
  await stage.page.evaluate('document.activeElement.blur(); getSelection().removeAllRanges(); proof.watchFocus()');
  // A field for a date has several stops.
  let left = 2 * (await ask<number>('countStops()')) + 10;
  for (; left > 0 && (await ask('unreached()')).length > 0; left--) await stage.page.keyboard.press('Tab');
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
async function findings(shifts: string[]): Promise<Record<string, string[]>> {
  const found: Record<string, string[]> = { shifts };
  for (const question of questions) found[question.replace(/\(.*/, '')] = await ask(question);
  return Object.fromEntries(Object.entries(found).filter(([, answer]) => answer.length > 0));
}

describeInBrowser('every page', () => {
  test.each(proofPages.map((page) => [page.name, page] as const))('%s', async (_, page) => {
    await visit(page);
    const shifts = await ask('shifts()');
    await tabThrough();
    await stage.page.emulateMedia({ reducedMotion: 'reduce' });
    expect(await findings(shifts)).toEqual({});
    await expectToFit(stage.page);
    expect(stage.troubles.filter((trouble) => !page.expects?.test(trouble))).toEqual([]);
  });
});
