import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { each } from '../support/each';
import { sceneOf } from '../support/example-scene';
import { words } from '../support/words';
import { startWorld, world } from '../support/world';
import { buildAll, built, examplesOf, filesOf, typescriptExamples } from './pages';
import { aComputer, expectCommandToWork, expectToWork, home, withCode } from './run-commands';
import { expectToAnswer, expectToRun } from './run-examples';

buildAll();
startWorld();

/** What a guide says about other programs, whose effects are outside of this service. */
const OF_OTHERS = /^(npm|firebase|gcloud|export) /;
/** What runs until somebody ends it. Its own test is `test/cli/webhooks.ts`. */
const ENDLESS = /^deck webhooks listen /;

/** What asks for codes while it runs, or needs a second service. Its own tests are `test/cli/account*.test.ts`. */
const OF_ACCOUNTS = /^deck account (export|import|email|delete)\b/;

/** The commands of a guide in their order, with those of a workflow. */
const commandsOf = (guide: string): string[] =>
  examplesOf(built(guide))
    .flatMap(({ language, code }) => {
      if (language === 'yaml') return [...code.matchAll(/- run: ([^|].*)$/gm)].map(([, command]) => command!);
      return language === 'sh' ? code.split(/(?<!\\)\n/) : [];
    })
    .filter((command) => ![OF_OTHERS, ENDLESS, OF_ACCOUNTS].some((form) => form.test(command)));
/** The guides that have commands of this service. */
const guides = filesOf('.md')
  .filter((file) => file.startsWith('docs/guides/'))
  .map((file) => [file.replace(/.*\/|\.md$/g, ''), commandsOf(file)] as const)
  .filter(([, commands]) => commands.length > 0);

/** A call, a code that was mailed, and an upload. The long tests run the commands of all endpoints. */
const someCommands = ['addPresentationToken', 'cliCompleteLogin', 'commitPresentationVersion'];

describe('deck', () => {
  test.each(someCommands)('the command of %s does its work', (name) => expectCommandToWork(name));

  test.each(guides)('each command of the guide %s works', async (name, commands) => {
    const given = await sceneOf(world, name);
    const { folder, variables } = aComputer(name, given);
    const isNew = name === 'first-deck';
    if (isNew) {
      delete variables['DECK_API_KEY'];
      rmSync(join(folder, 'talk'), { recursive: true });
    }
    for (const written of each(commands)) {
      const real = given.real(written).replace(/^curl /, 'curl -sS --fail-with-body ');
      const command = await withCode(real, isNew ? `first-${given.owner.email}` : given.owner.email);
      await expectToWork(command, folder, variables);
    }
  });
});

/** One of each form of a call. The long tests send the examples of all endpoints. */
const someByCurl = words(`getUsage addPresentationToken updateOrganization uploadPresentationAsset askForAccess
  getOrganizationLogo getListingPicture listPresentationViews deleteAccount recordView deckSite mcp`);

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
