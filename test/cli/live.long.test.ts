import { aLiveDeck, live } from './live-decks';
import { computer, inTerminal, testbed, withTestbed } from './testbed';

/** `deck live` when the service does not answer, and when the session ends. */

withTestbed();

inTerminal('a lost connection and the end of the session are told', async () => {
  const { folder } = await aLiveDeck();
  const screen = computer.inTerminal(['live', folder]);
  await screen.shows('No page presents');
  testbed.proxy.answer('getLiveSession', 503);
  await screen.shows('The service does not answer');
  testbed.proxy.reset();
  await screen.shows('No page presents');
  await testbed.post(computer, 'endLiveSession', { presentationId: (await live(folder)).presentationId });
  await screen.shows('The live session has ended.');
  expect(await screen.exitCode()).toBe(0);
});
