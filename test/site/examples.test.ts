import { buildBundles } from '../support/bundles';
import { words } from '../support/words';
import { startWorld, world } from '../support/world';
import { typescriptExamples } from './pages';
import { expectCommandToWork, expectGuideToWork, home } from './run-commands';
import { expectToAnswer, expectToRun } from './run-examples';

buildBundles();
startWorld();

/** A call, a code that was mailed, and an upload. The long tests run the commands of all endpoints and guides. */
const someCommands = ['addPresentationToken', 'cliCompleteLogin', 'commitPresentationVersion'];

test.each(someCommands)('the command of %s does its work', (name) => expectCommandToWork(name));

test('each command of the first guide works', () => expectGuideToWork('first-deck'));

/** One of each form of a call. The long tests send the examples of all endpoints. */
const someByCurl = words(`getUsage addPresentationToken updateOrganization uploadPresentationAsset askForAccess
  getOrganizationLogo listPresentationViews deleteAccount recordView deckSite mcp`);

test.each(someByCurl)('the example of %s for curl is a call that succeeds', (name) =>
  expectToAnswer(world, home, name),
);

/** One of each form of a call. The long tests run all. */
const someInTypescript = new Set([
  ...['getUsage', 'addPresentationToken', 'updateOrganization', 'uploadPresentationAsset', 'getOrganizationLogo'],
  // `mcp` answers without the envelope of the service; `library-1` pushes, and so searches for secrets.
  ...['deckSite', 'mcp', 'library', 'library-1'],
]);

test('the examples in TypeScript do what they say', async () => {
  await expectToRun(
    world,
    home,
    [...typescriptExamples()].filter(([name]) => someInTypescript.has(name)),
  );
});
