import { readFile } from 'node:fs/promises';
import type { Route } from 'playwright-core';
import { runJob } from '../support/jobs';
import { page } from '../support/world';
import { describeInBrowser, soon } from './browser';
import { DashboardStage } from './dashboard';
import { proveDeckPages, proveDeckStates } from './dashboard-deck';
import { proveDrafts, proveListingCard, proveListingForm } from './dashboard-listing';
import { proveMails } from './dashboard-mails';
import { expectToFit } from './fits';

/** Pages of the dashboard in states that are seldom, what a person has typed, and the card of a listing. */

const stage = new DashboardStage();
const { alert, button, field, fill, link, press, text } = stage;

describeInBrowser('the list of decks', () => {
  test('keeps the places of the decks on a slow connection, and offers to try again after a failure', async () => {
    const owner = await stage.world.anOwner();
    await stage.world.aDeck(owner, [page()], 'After all');
    const call = /\/listMyPresentations/;
    const held = new Promise<Route>((resolve) => stage.page.route(call, resolve));
    const entered = stage.enter(owner, '/decks');
    const first = await held;
    await stage.page.getByRole('list', { name: 'Loading your decks' }).waitFor();
    await soon(async () => expect(await stage.page.locator('.deck-card.waiting').count()).toBe(3));
    const error = { code: 'conflict', message: 'No', nextAction: 'No', requestId: 'request-1' };
    const headers = { 'Access-Control-Allow-Origin': '*' };
    await first.fulfill({ status: 409, headers, json: { success: false, error } });
    await entered;
    await alert().waitFor();
    await stage.page.unroute(call);
    await press('Try again', link('After all'));
    const others = stage.troubles.filter((trouble) => !/Failed to load resource|\/us-central1\/\w+$/.test(trouble));
    expect(others).toEqual([]);
  });
});

describeInBrowser('the account on the dashboard', () => {
  test('the account is exported with a code, and its parts are downloaded', async () => {
    await stage.page.clock.install();
    const code = await stage.requestSettingsCode(await stage.world.anOwner(), 'Send a code for the export');
    await fill(code, 'Start the export', text('begins within a minute'));
    await runJob('exportAccounts');
    // The page asks every 5 seconds.
    await stage.page.clock.fastForward(5000);
    const download = stage.page.waitForEvent('download');
    await button('Download account-', false).click();
    const bytes = await readFile(await (await download).path());
    expect(bytes.subarray(0, 2).toString()).toBe('PK');
    await expectToFit(stage.page);
  });
});

describeInBrowser('what a person has typed', () => {
  test('is warned about where the browser does not store it', async () => {
    await stage.viewer.context.addInitScript({
      content: `const set = Storage.prototype.setItem;
        Storage.prototype.setItem = function (key, value) {
          if (key.startsWith('deckhost.draft')) throw new DOMException('Full', 'QuotaExceededError');
          return set.call(this, key, value);
        };`,
    });
    const { presentationId } = await stage.aDeck();
    await stage.enter(stage.owner, `/decks/${presentationId}/mails`);
    const asked: string[] = [];
    stage.page.on('dialog', (found) => {
      asked.push(found.type());
      void found.accept();
    });
    await stage.page.reload();
    await stage.settle();
    expect(asked).toEqual([]);
    // Keys, because a browser warns only a person who has touched the page.
    await field('Message (optional)').pressSequentially('Half a letter');
    await stage.page.goto(stage.address(`/decks/${presentationId}`));
    expect(asked).toEqual(['beforeunload']);
  });
});

// Over the same service.
proveDeckPages(stage);
proveDeckStates(stage);
proveMails(stage);
proveListingForm(stage);
proveListingCard(stage);
proveDrafts(stage);
