import { describeInBrowser } from './browser';
import { DashboardStage } from './dashboard';
const stage = new DashboardStage();
describeInBrowser('look', () => {
  test('opens', async () => {
    await stage.enter(stage.owner, process.env['LOOK'] ?? '');
    await stage.expectTidy();
    await stage.film('/tmp/looks', 'decks');
  });
});
