import { readFile } from 'node:fs/promises';
import { labelOfToken, originOf } from '../../functions/src/values/deck-origins';
import { passSeconds } from '../support/clock';
import { runJob } from '../support/jobs';
import { aReader, slide } from '../support/views';
import { page, type Account, type Deck } from '../support/world';
import { describeInBrowser, soon } from './browser';
import { DashboardStage } from './dashboard';
import { expectToFit } from './fits';
import { html } from './small-decks';

const stage = new DashboardStage({ deckOrigin: true });
const { answer, button, field, fill, heading, link, press, row, text, toast } = stage;

interface View {
  email: string | null;
  tokenName: string;
}

/** Reads the first slides of a deck of three, and tells so when it is left: 30 seconds for the last slide, else 10. */
async function read(deck: Pick<Deck, 'shareUrl'>, reached: number, headers: Record<string, string> = {}) {
  const load = await (await aReader(deck, headers)).load();
  await load.tell({ seconds: 1, slideCount: 3, current: 'intro', slides: [slide('intro', 0, 1)] });
  passSeconds(100);
  const slides = ['intro', 'numbers', 'תודה'].slice(0, reached);
  await load.tell({
    seconds: 10 * reached + 20,
    slideCount: 3,
    current: slides.at(-1)!,
    slides: slides.map((key, at) => slide(key, at, at === reached - 1 ? 30 : 10)),
  });
  jest.useRealTimers();
}

/** The visits as the service lists them. */
const visits = (owner: Account, { presentationId }: Deck) =>
  stage.read<{ views: View[] }>('listPresentationViews', { presentationId }, owner).then(({ views }) => views);

/** Sends the link of a deck by mail, and answers the personal link. */
async function mailed(owner: Account, { presentationId }: Deck, email: string): Promise<{ shareUrl: string }> {
  await stage.call('sharePresentationViaEmail', { presentationId, emails: [email] }, owner);
  const [newest] = await stage.world.mails(email);
  return { shareUrl: /^http\S+\/share\/\S+$/m.exec(newest!.text)![0] };
}

/** A deck that somebody has read through the link of a mail to the end, and somebody else up to slide 2. */
async function aReadDeck(owner: Account): Promise<Deck> {
  const deck = await stage.world.aPushedDeck(owner, [page()], 'Quarterly results');
  const { presentationId } = deck;
  const board = await stage.call<{ shareUrl: string }>(
    'addPresentationToken',
    { presentationId, tokenName: 'Board' },
    owner,
  );
  await read(board, 2, { referer: 'https://news.example.com/today' });
  await read(await mailed(owner, deck, 'grace@example.com'), 3);
  await runJob('foldInsights');
  return deck;
}

describeInBrowser('the insights of a deck', () => {
  test('tell on the overview and on the deck who read what, for how long and where readers stopped', async () => {
    const owner = await stage.world.anOwner();
    const deck = await aReadDeck(owner);
    await stage.enter(owner);
    const visit = (reader: string) => stage.page.locator('.visits li').filter({ hasText: reader });
    await soon(async () =>
      expect(await visit('grace@example.com').innerText()).toMatch(
        /opened Quarterly results\s.* · 50 sec · read to the end$/s,
      ),
    );
    await soon(async () =>
      expect(await visit('A reader of the link “Board”').innerText()).toMatch(/ · 40 sec · up to slide 2 of 3$/),
    );
    const figure = (name: string) => stage.page.locator('.figures dl > div').filter({ hasText: name }).locator('dd');
    const figures = () => Promise.all(['Visits', 'People', 'Read to the end'].map((name) => figure(name).innerText()));
    await soon(async () => expect(await figures()).toEqual(['2', '2', '50%']));

    await visit('grace@example.com').getByRole('link').click();
    await stage.page.waitForURL(stage.address(`/decks/${deck.presentationId}/insights`));
    await heading('Slide by slide').waitFor();
    const cells = (name: string) => row(name).first().getByRole('cell').allInnerTexts();
    await soon(async () => expect(await figures()).toEqual(['2', '2', '50%']));
    await soon(async () =>
      expect(await cells('NUMBERS')).toEqual([expect.stringMatching(/^\d+ sec$/), '2', '1 · 50%']),
    );
    await soon(async () =>
      expect(await cells('תודה')).toEqual([expect.stringMatching(/^(2[789]|3[0123]) sec$/), '1', '1 · 50%']),
    );
    await stage.page.getByRole('table', { name: 'By recipient' }).getByText('grace@example.com').waitFor();
    await soon(async () => expect(await cells('news.example.com')).toEqual(['1']));
    const list = stage.page.getByRole('list', { name: 'Visits, newest first' });
    await list.getByText('Emailed to them').waitFor();
    await list.getByText('2 slides seen').click();
    await soon(async () =>
      expect(await list.getByRole('row').filter({ hasText: 'NUMBERS' }).getByRole('cell').allInnerTexts()).toEqual([
        '30 sec',
        '1 time',
      ]),
    );

    await field('Visits', true).selectOption({ label: 'Board' });
    await list.getByText('grace@example.com').waitFor({ state: 'detached' });
    await figure('Visits').filter({ hasText: /^1$/ }).waitFor();
    await soon(async () =>
      expect([await figures(), await list.locator('.row').count()]).toEqual([['1', '1', '0%'], 1]),
    );
    await field('Visits', true).selectOption({ label: 'Through all links' });
    await button('Other').click();
    const span = async (from: string, to: string, said: string) => {
      await field('From', true).fill(from);
      await field('To', true).fill(to);
      await press(button('Show', true), text(said));
    };
    await span('2026-01-02', '2026-01-01', 'Choose a first day that is not after');
    await span('2026-01-01', '2026-01-02', 'No visits in this time span.');

    await stage.open(`/decks/${deck.presentationId}/insights`);
    const saving = stage.page.waitForEvent('download');
    await button('Download as CSV').click();
    const saved = await saving;
    expect(saved.suggestedFilename()).toBe('Quarterly results-visits.csv');
    const [names, ...lines] = (await readFile(await saved.path(), 'utf8')).trim().split(/\r?\n/);
    expect([names!.split(',')[0], lines.length]).toEqual(['viewId', 2]);
    expect(stage.troubles).toEqual([]);
  });

  test('say in the list of mails how far the recipient read', async () => {
    const owner = await stage.world.anOwner();
    const deck = await aReadDeck(owner);
    await read(await mailed(owner, deck, 'ada@example.com'), 1);
    await mailed(owner, deck, 'alan@example.com');
    await runJob('foldInsights');
    await stage.enter(owner, `/decks/${deck.presentationId}/mails`);
    const states = {
      'grace@example.com': 'Opened, read to the end',
      'ada@example.com': 'Opened, up to slide 1 of 3',
      'alan@example.com': 'Not opened',
    };
    for (const [email, state] of Object.entries(states)) await row(email).getByText(state, { exact: true }).waitFor();
  });

  test('end where the owner only wants a count, and begin again when that changes', async () => {
    const owner = await stage.world.anOwner();
    const deck = await stage.world.aPushedDeck(owner);
    await stage.enter(owner, `/decks/${deck.presentationId}/settings`);
    await press(field('Only a count'), toast('From now on, openings are only counted.'));
    await read(deck, 3);
    expect(await visits(owner, deck)).toEqual([]);
    await press(link('Insights', true), text('This deck only counts how often it is opened.'));
    await link('Change that in the settings').click();
    await press(field('Visits', true), toast('Visits are recorded from now on.'));
    await read(deck, 3);
    expect(await visits(owner, deck)).toHaveLength(1);
    expect(stage.troubles).toEqual([]);
  });

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

  test('sees pages that fit, in both schemes', async () => {
    await stage.page.goto(`${stage.world.cloud.hostingUrl}/share/ask/${'a'.repeat(32)}`);
    await expectToFit(stage.page);
    await fill({ 'Your email address': 'ada@reader.example' }, 'Continue', heading('Enter your code'));
    await expectToFit(stage.page);
    expect(stage.troubles).toEqual([]);
  });
});
