import { passSeconds } from '../support/clock';
import { runJob } from '../support/jobs';
import { aReader, slide } from '../support/views';
import { page, type Account, type Deck } from '../support/world';
import type { Stage } from './stage';

interface View {
  email: string | null;
  tokenName: string;
}

/** Decks that people have read. */
export function readersOn(stage: Stage) {
  /** Reads the first slides of a deck of three, and tells so when it is left: 30 seconds for the last one, else 10. */
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

  return { aReadDeck, mailed, read, visits };
}
