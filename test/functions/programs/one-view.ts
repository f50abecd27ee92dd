import { openLink } from '../../../functions/src/decks/open-link';
import { countView } from '../../../functions/src/records/view-counters';

/** Opens a link, counts a view, and prints the packages that are loaded then: `one-view <deck id> <token>`. */
void (async () => {
  const [presentationId, token] = process.argv.slice(2) as [string, string];
  const context = { trail: undefined, endsAt: Infinity };
  const link = await openLink(context, presentationId, token, new Date());
  if (link.verdict !== 'open') throw new Error(`The link is ${link.verdict}.`);
  await countView(context, link.deck, link.tokenId, new Date());
  const packages = Object.keys(require.cache).map((file) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file)?.[1]);
  console.log(JSON.stringify([...new Set(packages)].sort()));
})();
