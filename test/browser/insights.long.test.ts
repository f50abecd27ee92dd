import { labelOfToken, originOf } from '../../functions/src/values/deck-origins';
import { runJob } from '../support/jobs';
import { describeInBrowser, soon } from './browser';
import { DashboardStage } from './dashboard';
import { expectToFit } from './fits';
import { readersOn } from './read-decks';
import { html } from './small-decks';

/** Readers who are forgotten, decks and accounts without visits, and readers without a link. */

const stage = new DashboardStage({ deckOrigin: true });
const { answer, field, fill, heading, link, press, text, toast } = stage;
const { aReadDeck, visits } = readersOn(stage);

describeInBrowser('the insights of a deck', () => {
  test('forget a reader after a question that says what happens', async () => {
    const owner = await stage.world.anOwner();
    const deck = await aReadDeck(owner);
    await stage.enter(owner, '/settings');
    await fill({ 'Email of the reader': 'Grace@example.com' }, 'Forget this reader');
    await stage.dialog().getByText('You cannot undo this.').waitFor();
    await answer('Forget this reader', toast('We are forgetting grace@example.com.'));
    await runJob('forgetReaders');
    await runJob('foldInsights');
    expect((await visits(owner, deck)).map(({ email }) => email)).toEqual([null, null]);
    await stage.open(`/decks/${deck.presentationId}/insights`);
    await soon(async () => expect(await stage.page.locator('main').innerText()).not.toContain('grace@example.com'));
    expect(await stage.world.mails(owner.email)).not.toEqual([]);
  });

  test('say what will appear before the first visit, and a new account sees how to publish a deck', async () => {
    const owner = await stage.world.anOwner();
    await stage.enter(owner);
    await press(link('New deck').first(), heading('New deck', 1));
    const { presentationId } = await stage.world.aPushedDeck(owner);
    await stage.open();
    await heading('No visits yet').waitFor();
    await press(link('To your decks'), heading('Decks', 1));
    await stage.open(`/decks/${presentationId}/insights`);
    await press(link('Share this deck'), heading('Links'));
    expect(stage.troubles).toEqual([]);
  });
});

const ASKER = 'grace@reader.example';

describeInBrowser('a person without a link', () => {
  test('sees pages that fit, in both schemes', async () => {
    await stage.page.goto(`${stage.world.cloud.hostingUrl}/share/ask/${'a'.repeat(32)}`);
    await expectToFit(stage.page);
    await fill({ 'Your email address': 'ada@reader.example' }, 'Continue', heading('Enter your code'));
    await expectToFit(stage.page);
    expect(stage.troubles).toEqual([]);
  });

  test('asks for access without scripts, the owner allows it in the dashboard, and the mailed link opens', async () => {
    const { owner, world } = stage;
    const deck = await stage.aDeck([html('<title>Secret title</title><p>Secret numbers')], 'Secret title');
    await stage.arrive({ javaScriptEnabled: false });
    await stage.page.goto(`${originOf(world.cloud.deckOrigin!, labelOfToken(deck.tokenId))}/`);
    await stage.link('Ask for access').click();
    await heading('Ask for access').waitFor();
    await fill({ 'Your email address': ASKER, 'Who you are (optional)': 'See www.evil.example' }, 'Continue');
    await text('without web and email addresses').waitFor();
    await soon(async () => expect(await field('Your email address').inputValue()).toBe(ASKER));
    await fill({ 'Who you are (optional)': 'We met at the fair' }, 'Continue', heading('Enter your code'));
    await fill({ 'Code from the email': '000000' }, 'Send the request', text('This code is wrong.'));
    const code = await world.mailedCode(ASKER);
    await fill({ 'Code from the email': code }, 'Send the request', heading('Your request is sent'));

    await runJob('notifyOwners');
    const [mail] = await world.mails(owner.email);
    expect(mail!.text).toContain('/dashboard/requests');
    await stage.arrive();
    await stage.enter(owner, `/decks/${deck.presentationId}/links`);
    await stage.page.locator('.links').getByRole('link', { name: 'Requests for access' }).click();
    await text('We met at the fair').waitFor();
    await press(`Allow the request of ${ASKER}`, toast(`A link is on its way to ${ASKER}.`));
    await text('No open requests').waitFor();
    await stage.page.locator('summary').click();
    await stage.row(ASKER).getByText('Allowed').waitFor();

    const [shared] = await world.mails(ASKER);
    await stage.arrive();
    await stage.page.goto(/http\S+token=\S+/.exec(shared!.text)![0]);
    await fill({ 'Your email address': ASKER }, 'Continue', heading('Enter your code'));
    await fill({ 'Code from the email': await world.mailedCode(ASKER) }, 'Open the presentation');
    await text('Secret numbers').waitFor();
  });
});
