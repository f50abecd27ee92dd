import { readFile } from 'node:fs/promises';
import type { Route } from 'playwright-core';
import { readDropped } from '../../client/src/browser/read-dropped';
import { each } from '../support/each';
import { page, type Deck } from '../support/world';
import { describeInBrowser, until } from './browser';
import { DashboardStage } from './dashboard';

const stage = new DashboardStage();
const { answer, button, call, choose, dialog, field, heading, info, row, text, toast } = stage;
const tabs = () => stage.page.getByRole('navigation', { name: 'Pages of the deck' }).getByRole('link');

/** A deck with two versions, pushed as a client pushes it. */
async function aDeck(title = 'Quarterly results'): Promise<Deck> {
  const deck = await stage.world.aPushedDeck(stage.owner, [page('<h1>One</h1>')], title);
  const { presentationId } = deck;
  const second = page('<h1>Two</h1>');
  await stage.world.uploadAll(stage.owner, { presentationId }, [second]);
  await stage.world.commit(stage.owner, { presentationId, message: 'New chart' }, [second]);
  return deck;
}
/** Opens a page of a new deck as its owner. */
async function enter(tab: string): Promise<Deck> {
  const deck = await aDeck();
  await stage.enter(stage.owner, `/decks/${deck.presentationId}${tab}`);
  return deck;
}
const change = ({ presentationId }: Deck, fields: object) =>
  stage.world.database.doc(`presentations/${presentationId}`).update(fields);

describeInBrowser('the links of a deck', () => {
  test('are added, renamed, pinned and revoked, and each change can be undone or is asked about', async () => {
    const deck = await enter('/links');
    await field('Name').fill('Board');
    await button('Add a link').click();
    await row('Board').waitFor();
    const board = async () => (await info(deck)).tokens.find(({ name }) => name.startsWith('Board'))!;
    const { shareUrl } = await board();
    expect(await stage.world.visit(shareUrl)).toBe(200);

    await choose('Actions for the link Board', 'Rename …');
    await dialog().getByLabel('Name').fill('Board of 2031');
    await button('Save').click();
    await toast('The link is called “Board of 2031” now.').waitFor();
    await toast('Board of 2031').getByRole('button', { name: 'Undo' }).click();
    await toast('The link is called “Board” now.').waitFor();
    expect((await board()).name).toBe('Board');

    await choose('Actions for the link Board', 'Pin or follow …');
    await dialog().getByLabel('Shows').selectOption({ label: 'Only version 1' });
    await button('Save').click();
    await toast('“Board” shows version 1.').waitFor();
    expect((await board()).versionMode).toEqual({ type: 'pinned', version: 1 });
    await text('The same from a terminal').click();
    expect(await stage.page.locator('.command-strip pre').textContent()).toMatch(
      new RegExp(`^deck links pin \\S+ 1 --deck ${deck.presentationId}$`),
    );

    await choose('Actions for the link Board', 'Revoke …');
    await answer('Cancel');
    expect(await stage.world.visit(shareUrl)).toBe(200);
    await choose('Actions for the link Board', 'Revoke …');
    await button('Revoke link').click();
    await toast('The link “Board” is revoked.').waitFor();
    expect(await stage.world.visit(shareUrl)).toBe(403);
    await text('1 revoked link').waitFor();
  });

  test('are renamed back also while the page reads the deck again', async () => {
    const deck = await enter('/links');
    const reading = /\/getSharedPresentationInfo/;
    const held: Route[] = [];
    await stage.page.route(reading, (route) => void held.push(route));
    await choose('Actions for the link default', 'Rename …');
    await dialog().getByLabel('Name').fill('Board');
    await button('Save').click();
    await toast('The link is called “Board” now.').getByRole('button', { name: 'Undo' }).click();
    await toast('The link is called “default” now.').waitFor();
    expect((await info(deck)).tokens.map(({ name }) => name)).toEqual(['default']);
    await stage.page.unroute(reading);
    await Promise.all(held.map((route) => route.continue().catch(() => undefined)));
  });

  test('do not offer the personal link of a mail to copy', async () => {
    const deck = await aDeck();
    const { presentationId } = deck;
    // A recipient gets few mails a day, and the other tests write to others.
    await call('sharePresentationViaEmail', { presentationId, emails: ['katherine@example.com'] });
    await stage.enter(stage.owner, `/decks/${presentationId}`);
    expect(await stage.link('Open').getAttribute('href')).toBe(deck.shareUrl);
    const { tokens } = await info(deck);
    const { tokenId } = tokens.find(({ shareUrl }) => shareUrl === deck.shareUrl)!;
    await call('unsharePresentation', { presentationId, tokenId });
    const mailed = tokens.find(({ name }) => name === 'katherine@example.com')!;
    await call('renameShareToken', { presentationId, tokenId: mailed.tokenId, name: 'Grace' });
    await stage.page.reload();
    await text('This deck has no link to share.').waitFor();
    expect(await button('Copy link').count()).toBe(0);

    await stage.open(`/decks/${presentationId}/versions`);
    await button('Publish a new version').click();
    const buffer = Buffer.from('<h1>Three</h1>');
    await field('Choose a file').setInputFiles({ name: 'index.html', mimeType: 'text/html', buffer });
    await button('Publish version').click();
    await heading('Version 3 is online').waitFor();
    expect(await field('Link').count()).toBe(0);
  });

  test('are known by a part of their address, open it, and have a QR code, which is an SVG file to keep', async () => {
    const { shareUrl } = await enter('/links');
    const address = row('default').getByRole('link');
    expect(await address.getAttribute('href')).toBe(shareUrl);
    const { host, searchParams } = new URL(shareUrl);
    const token = searchParams.get('token')!;
    const shown = (await address.textContent())!;
    expect(shown).toContain(`${host}/share/…?token=${token.slice(0, 6)}…`);
    expect(shown).not.toContain(token.slice(0, 7));

    await choose('Actions for the link default', 'QR code');
    await stage.page.getByRole('img', { name: 'QR code' }).waitFor();
    const saved = stage.page.waitForEvent('download');
    await button('Download as SVG').click();
    const download = await saved;
    expect(download.suggestedFilename()).toBe('default.svg');
    expect(await readFile(await download.path(), 'utf8')).toMatch(/^<svg xmlns="http:\/\/www.w3.org\/2000\/svg"/);
    expect(stage.troubles).toEqual([]);
    await stage.page.keyboard.press('Escape');
    await until(stage.page, `document.activeElement.getAttribute('aria-label') === 'Actions for the link default'`);
  });

  test('that were revoked elsewhere are told as such, and so is a deck that was deleted elsewhere', async () => {
    const { presentationId } = await enter('/links');
    await call('unsharePresentation', { presentationId, all: true });
    await choose('Actions for the link default', 'Revoke …');
    await button('Revoke link').click();
    await toast('The link “default” was revoked meanwhile.').waitFor();
    await heading('No open link').waitFor();
    await call('deletePresentation', { presentationId });
    await field('Name').fill('Too late');
    await button('Add a link').click();
    await heading('This deck does not exist').waitFor();
  });
});

describeInBrowser('the versions of a deck', () => {
  test('are restored after a question, and downloaded', async () => {
    const deck = await enter('/versions');
    await row('New chart').waitFor();
    await choose('Actions for version 1', 'Restore');
    await answer('Restore');
    await toast('Version 1 is restored as version 3.').waitFor();
    await row('Restored from version 1').waitFor();
    expect(await toast('Somebody').count()).toBe(0);
    await toast('Version 1 is restored').getByRole('button', { name: 'Undo' }).click();
    await toast('Version 2 is restored as version 4.').waitFor();
    expect((await info(deck)).version).toBe(4);

    const saved = stage.page.waitForEvent('download');
    await choose('Actions for version 2', 'Download as a zip file');
    const download = await saved;
    expect(download.suggestedFilename()).toBe('Quarterly results-v2.zip');
    const archive = new File([await readFile(await download.path())], 'deck.zip');
    const { files, refused } = await readDropped([archive]);
    const read = await Promise.all(files.map(async ({ path, blob }) => [path, await blob.text()]));
    expect([read, refused]).toEqual([[['index.html', page('<h1>Two</h1>').bytes.toString()]], []]);
  });

  test('of a list that is out of date are not restored, and the new version appears', async () => {
    const deck = await enter('/versions');
    await row('New chart').waitFor();
    const { presentationId } = deck;
    await stage.world.commit(stage.owner, { presentationId, message: 'From elsewhere' }, [page('<h1>Two</h1>')]);
    await choose('Actions for version 1', 'Restore');
    await answer('Restore');
    await stage.page.getByRole('alert').getByText('Somebody has changed this meanwhile.').waitFor();
    await row('From elsewhere').waitFor();
    await toast('Somebody has published version 3 meanwhile.').waitFor();
    expect((await info(deck)).version).toBe(3);
  });

  test('show the actions of a row near the lower edge on a phone', async () => {
    await enter('/versions');
    const opener = button('Actions for version 1');
    await opener.waitFor();
    const { y, height } = (await opener.boundingBox())!;
    await stage.page.setViewportSize({ width: 390, height: 844 });
    await stage.page.setViewportSize({ width: 390, height: Math.ceil(y + height) });
    await opener.click();
    for (const shown of each(await stage.page.getByRole('menuitem').all())) {
      const box = (await shown.boundingBox())!;
      expect(box.y + box.height).toBeLessThanOrEqual(stage.page.viewportSize()!.height);
    }
  });
});

describeInBrowser('the people of a deck', () => {
  test('are invited and removed after a question; they see what they may do, and can leave', async () => {
    const deck = await aDeck();
    const { presentationId } = deck;
    const [leaving, other] = [await stage.world.anOwner(), await stage.world.anOwner()];
    await stage.world.addMember(deck, other);
    await call('inviteCollaborator', { presentationId, email: 'waiting@example.com' });
    const precheck = async () =>
      (await stage.world.call('precheckAssets', { presentationId, hashes: [] }, { key: other.key })).status;
    await stage.enter(stage.owner, `/decks/${presentationId}/people`);
    await field('Email of the person').fill(leaving.email);
    await button('Invite').click();
    await toast(`${leaving.email} may edit this deck now.`).waitFor();
    await row(leaving.email).getByText('May edit', { exact: true }).waitFor();

    const person = row(other.email);
    await person.getByRole('button').click();
    await answer('Cancel');
    expect(await precheck()).toBe(200);
    await person.getByRole('button').click();
    await answer('Remove');
    await toast('cannot edit this deck any more.').waitFor();
    expect(await precheck()).toBe(403);
    await person.getByText('Removed', { exact: true }).waitFor();
    expect(await person.getByRole('button').count()).toBe(0);
    await button('Withdraw the invitation of waiting@example.com').click();
    await answer('Withdraw');
    await toast('waiting@example.com cannot edit this deck any more.').waitFor();
    await stage.expectTidy();

    await stage.arrive();
    await stage.enter(leaving, `/decks/${presentationId}`);
    await text('Shared with you').waitFor();
    expect(await tabs().allTextContents()).toEqual(['Deck', 'Versions', 'Settings']);
    await stage.open(`/decks/${presentationId}/settings`);
    await button('Leave deck').click();
    await answer('Leave deck');
    await toast('You have left “Quarterly results”.').waitFor();
    await stage.page.goto(stage.address(`/decks/${presentationId}`));
    await heading('This deck does not exist').waitFor();
  });
});

describeInBrowser('the settings of a deck', () => {
  test('change its title, and its place is told in the page and in the title of the tab', async () => {
    const deck = await enter('/settings');
    await field('Title').fill('Results of spring');
    await button('Rename').click();
    await heading('Results of spring', 1).waitFor();
    expect((await info(deck)).title).toBe('Results of spring');
    expect(await stage.page.title()).toBe('Settings · Results of spring · Deckhost');
    expect(await stage.page.locator('.site-header [aria-current]').textContent()).toBe('Decks');
    await stage.page.locator('main').getByRole('link', { name: 'Decks', exact: true }).click();
    await heading('Decks', 1).waitFor();
  });

  test('set an expiry, and refuse one in the past before it is sent', async () => {
    const deck = await enter('/settings');
    const date = field('Date and time');
    const sent = await stage.requestsOf(/setPresentationExpiry/, async () => {
      await date.fill('2020-01-31T18:00');
      await button('Set expiry').click();
      await text('This time has passed: choose a later one.').waitFor();
    });
    expect(await date.getAttribute('aria-invalid')).toBe('true');
    expect(sent).toEqual([]);
    await stage.expectTidy();
    await date.fill('2031-01-31T18:00');
    expect(await text('This time has passed').count()).toBe(0);
    await button('Set expiry').click();
    await toast(/^The links close January 31, 2031/).waitFor();
    const there = await stage.page.evaluate<string>(`new Date('2031-01-31T18:00').toISOString()`);
    expect((await info(deck)).expiresAt).toBe(there);
    await button('Never expire').click();
    await toast('The links of this deck do not expire.').waitFor();
    expect((await info(deck)).expiresAt).toBeNull();
  });

  test('open the links again after the expiry, until when its pages offer nothing that needs a link', async () => {
    const deck = await aDeck();
    await change(deck, { expiresAt: new Date(1) });
    await stage.enter(stage.owner, `/decks/${deck.presentationId}`);
    const facts = (await stage.page.locator('.facts-list').textContent())!;
    expect(facts).toMatch(/1 open linkExpired /);
    expect(facts).not.toMatch(/share\/|Expires/);
    expect(await stage.link('Share it').count()).toBe(0);
    await stage.open(`/decks/${deck.presentationId}/settings`);
    const said = text('The links of this deck do not open any more.');
    await said.waitFor();
    await stage.expectTidy();
    await button('Never expire').click();
    await toast('The links of this deck do not expire.').waitFor();
    // The service takes no time in the past: there is nothing to undo.
    expect(await toast('do not expire').getByRole('button', { name: 'Undo' }).count()).toBe(0);
    expect((await info(deck)).expiresAt).toBeNull();
    expect(await said.count()).toBe(0);
  });

  test('of a deck that was taken down say why, show nothing of it and no link to hand out', async () => {
    const deck = await aDeck('Taken');
    const reason = 'Phishing <b>x</b>';
    await change(deck, { takedown: { at: new Date(), reason } });
    await stage.enter(stage.owner, `/decks/${deck.presentationId}`);
    const said = text(`An operator of the service closed all links of this deck: ${reason}`);
    await said.waitFor();
    await stage.page.locator('.label').getByText('Taken down', { exact: true }).waitFor();
    expect(await button('Show it here').count()).toBe(0);
    await stage.expectTidy();
    await stage.open();
    await stage.page.getByText('Taken down', { exact: true }).waitFor();
    await stage.open(`/decks/${deck.presentationId}/settings`);
    await said.waitFor();
    await stage.expectTidy();
  });
});
