import { firstTitle, type Story } from './story';

/** Ada mails the deck and revokes its first link. */
export function mailAndRevoke(story: Story): void {
  story.step('a mail leads its recipient to the deck, and the dashboard says that it was opened', async () => {
    const grace = await story.person('grace');
    await story.open('mails');
    await story.ada.page.getByLabel('To').fill(grace.email);
    await story.ada.page.getByLabel('Message').fill('Please look at the second slide.');
    await story.ada.button('Preview').click();
    await story.ada.dialog().frameLocator('iframe').getByText('Please look at the second slide.').waitFor();
    await story.ada.dialog().getByRole('button', { name: 'Close' }).click();
    await story.ada.button('Send to 1 recipient').click();
    await story.ada.toast('1 mail sent.').waitFor();
    const row = () => story.ada.page.getByRole('row').filter({ hasText: grace.email });
    await row().getByText('Not yet').waitFor();
    await grace.open(story.world.cloud.mailUrl);
    await grace.link(/shared/).click();
    const opened = grace.page.context().waitForEvent('page');
    await grace.page.frameLocator('iframe').getByRole('link', { name: 'Open' }).click();
    const deck = await grace.deck(await opened);
    expect(await deck.evaluate(firstTitle)).toBe('The second version');
    await story.open('mails');
    await row().getByText('1 view').waitFor();
  });

  story.step('a revoked link refuses the open tab: its next file, and its reload', async () => {
    const deck = await story.reader.openDeck(story.link);
    await story.open('links');
    await story.ada.chooseFrom('Actions for the link default', 'Revoke …');
    await story.ada.button('Revoke link').click();
    await story.ada.toast('The link “default” is revoked.').waitFor();
    const file = `fetch('dist/theme/white.css').then(async (answer) => [answer.status, (await answer.text()) !== ''])`;
    expect(await deck.evaluate(file)).toEqual([403, true]);
    expect((await story.reader.page.reload())!.status()).toBe(403);
    await story.reader.heading(/./).first().waitFor();
    expect(story.reader.takeTroubles().filter((trouble) => !/\b403\b/.test(trouble))).toEqual([]);
    await story.open('links');
  });
}
