import { labelOfToken, originOf } from '../../functions/src/values/deck-origins';
import { runJob } from '../support/jobs';
import { describeInBrowser, soon } from './browser';
import { DashboardStage } from './dashboard';
import { expectToFit } from './fits';
import { html } from './small-decks';

const stage = new DashboardStage({ deckOrigin: true });
const ASKER = 'grace@reader.example';

describeInBrowser('a person without a link', () => {
  test('asks for access without scripts, the owner allows it in the dashboard, and the mailed link opens', async () => {
    const { owner, world } = stage;
    const { press, text, toast, heading, field, fill } = stage;
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
    await stage.expectTidy();
    await press(`Allow the request of ${ASKER}`, toast(`A link is on its way to ${ASKER}.`));
    await text('No open requests').waitFor();
    await stage.page.locator('summary').click();
    await stage.row(ASKER).getByText('Allowed').waitFor();
    await stage.expectTidy();

    const [shared] = await world.mails(ASKER);
    await stage.arrive();
    await stage.page.goto(/http\S+token=\S+/.exec(shared!.text)![0]);
    await fill({ 'Your email address': ASKER }, 'Continue', heading('Enter your code'));
    await fill({ 'Code from the email': await world.mailedCode(ASKER) }, 'Open the presentation');
    await text('Secret numbers').waitFor();
  });

  test('sees pages that fit, in both schemes', async () => {
    await stage.page.goto(`${stage.world.cloud.hostingUrl}/share/ask/${'a'.repeat(32)}`);
    await expectToFit(stage.page);
    await stage.fill({ 'Your email address': 'ada@reader.example' }, 'Continue', stage.heading('Enter your code'));
    await expectToFit(stage.page);
    expect(stage.troubles).toEqual([]);
  });
});
