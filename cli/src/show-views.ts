import { count, plain } from '../../client/src/format';
import { columns, shorten } from './columns';
import { duration, localTime } from './show-time';
import type { View } from './verbs/views';

/** A narrower terminal gets a second line for each view. */
const ONE_LINE_COLUMNS = 72;
const SHORTEST_NAME = 12;

type ListedView = Omit<View, 'slides'>;

/** The views as lines: when, who, for how long, how far and with which device. */
export function viewLines(views: readonly ListedView[], width: number): string[] {
  const cells = views.map((view) => [localTime(view.startedAt), whoOf(view), timeOf(view), reachOf(view), view.device]);
  if (width < ONE_LINE_COLUMNS)
    return cells.flatMap(([when, who, ...rest]) => [
      shorten(`${when}  ${who}`, width),
      `  ${rest.filter((each) => each !== '').join(', ')}`,
    ]);
  const widest = (i: number) => Math.max(0, ...cells.map((row) => row[i]!.length));
  const others = [0, 2, 3, 4].reduce((sum, i) => sum + widest(i) + 2, 0);
  return columns(cells, Math.max(SHORTEST_NAME, 19, width - others));
}

/** The address that the reader proved or to which the link was mailed; for other links their name. */
function whoOf({ email, emailIsProven, tokenName }: ListedView): string {
  if (email === null) return plain(tokenName);
  return emailIsProven ? plain(email) : `mailed to ${plain(email)}`;
}

/** Without scripts the time is not known. */
const timeOf = ({ hasScript, seconds }: ListedView) => (hasScript ? duration(seconds) : 'no scripts');

/** In words: `to slide 9 of 12`, `to the end (12)`. Empty when no slide is known. */
export function reachOf({ maxSlide, slideCount }: Pick<View, 'maxSlide' | 'slideCount'>): string {
  if (maxSlide === 0) return '';
  if (slideCount === null) return `to slide ${maxSlide}`;
  return maxSlide >= slideCount ? `to the end (${slideCount})` : `to slide ${maxSlide} of ${slideCount}`;
}

/** In words: `42 views by 31 people`. */
export const viewsAndPeople = ({ views, people }: { views: number; people: number }) =>
  `${count(views, 'view')} by ${people === 1 ? '1 person' : `${people.toLocaleString('en')} people`}`;
