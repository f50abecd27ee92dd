import { readFile } from 'node:fs/promises';
import { runJob } from '../support/jobs';
import { describeInBrowser, soon } from './browser';
import { DashboardStage } from './dashboard';
import { readersOn } from './read-decks';

const stage = new DashboardStage({ deckOrigin: true });
const { button, field, heading, link, press, row, text, toast } = stage;
const { aReadDeck, mailed, read, visits } = readersOn(stage);

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
});
