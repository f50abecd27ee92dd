import stringWidth from 'string-width';
import { count, plain } from '../../client/src/format';
import { padTo, shorten } from './columns';
import { wrapLine } from './help/wrap';
import { duration } from './show-time';
import { viewLines, viewsAndPeople } from './show-views';
import type { Terminal } from './terminal';
import type { Insights, OrganizationInsights } from './verbs/views';

/** A longer range of days is shown by months. */
const SHOWN_DAYS = 62;
const SHOWN_ROWS = 40;
const LONGEST_NAME = 28;
/** A narrower terminal gets no bars. */
const SHORTEST_BAR = 6;
const LONGEST_BAR = 32;

interface Row {
  name: string;
  /** What the bar shows, in the unit of the other rows. */
  amount: number;
  text: string;
}

/** Shows the figures of a deck, or of one of its links or versions. */
export function showInsights(insights: Insights, terminal: Terminal): void {
  showFigures(insights, terminal);
  if (insights.views === 0) return;
  const { bySlide, byLink, byDevice, byReferrer, other } = insights;
  const slides = bySlide.map(({ key, title, views, medianSeconds, exits }, i) => ({
    name: `${i + 1} ${plain(title || key)}`,
    amount: medianSeconds,
    text: [duration(medianSeconds), count(views, 'view'), exits > 0 && `${exits} left here`].filter(Boolean).join(', '),
  }));
  showBars('Slides, by the median time of those who saw them', slides, terminal);
  showOther('slide', other.bySlide.views, terminal);
  const links = byLink.map((link) => ({
    name: plain(link.tokenName),
    amount: link.views,
    text: `${viewsAndPeople(link)}, ${duration(link.seconds)}`,
  }));
  showBars('Links', links, terminal);
  showOther('link', other.byLink.views, terminal);
  showList(
    'Devices',
    byDevice.map(({ device, views }) => [device, views]),
    terminal,
  );
  showList(
    'Came from',
    byReferrer.map(({ host, views }) => [host ?? 'not known', views]),
    terminal,
  );
}

/** Shows the figures of all decks, and the newest views. */
export function showOrganizationInsights(insights: OrganizationInsights, terminal: Terminal): void {
  showFigures(insights, terminal);
  const decks = insights.byDeck.map((deck) => ({
    name: plain(deck.title),
    amount: deck.views,
    text: `${viewsAndPeople(deck)}, ${duration(deck.seconds)}`,
  }));
  showBars('Decks', decks, terminal);
  showOther('deck', insights.other.byDeck.views, terminal);
  if (insights.latestViews.length === 0) return;
  terminal.say(`\n${terminal.colors.bold('Newest views')}`);
  let title: string | undefined;
  for (const view of insights.latestViews) {
    if (view.title !== title) terminal.say(shorten(plain(view.title), terminal.width));
    title = view.title;
    for (const line of viewLines([view], terminal.width - 2)) terminal.say(`  ${line}`);
  }
}

function showFigures(insights: Insights | OrganizationInsights, terminal: Terminal): void {
  const { from, to, views, otherOpenings, seconds, completion, isComplete } = insights;
  const { dim } = terminal.colors;
  const say = (line: string, style = (text: string) => text) => terminal.say(style(wrapLine(line, terminal.width)));
  say(`${from} to ${to} (UTC): ${views === 0 ? 'no views' : viewsAndPeople(insights)}`);
  if (otherOpenings > 0) say(`  ${count(otherOpenings, 'opening')} besides, of robots and short looks`, dim);
  if (seconds.median !== null && seconds.p90 !== null)
    say(`  Half of them took up to ${duration(seconds.median)}, nine of ten up to ${duration(seconds.p90)}`);
  if (completion !== null) say(`  ${Math.round(completion * 100)} % reached the last slide`);
  if (!isComplete) say('  The newest views are not in these figures yet', dim);
  if (views > 0) showBars('Views by day', daysOf(insights.byDay), terminal);
}

/** The days from the first to the last one with a view; months when these are many. */
function daysOf(byDay: Insights['byDay']): Row[] {
  const isSeen = byDay.map(({ views }) => views > 0);
  const seen = byDay.slice(isSeen.indexOf(true), isSeen.lastIndexOf(true) + 1);
  const views = new Map<string, number>();
  for (const each of seen) {
    const name = seen.length > SHOWN_DAYS ? each.day.slice(0, 7) : each.day;
    views.set(name, (views.get(name) ?? 0) + each.views);
  }
  return [...views].map(([name, amount]) => ({ name, amount, text: count(amount, 'view') }));
}

/** Rows with a bar each. The longest bar is the largest amount. */
function showBars(heading: string, rows: readonly Row[], terminal: Terminal): void {
  if (rows.length === 0) return;
  const { bold, cyan, dim } = terminal.colors;
  const shown = heading.startsWith('Views') ? rows : rows.slice(0, SHOWN_ROWS);
  const longest = Math.max(...shown.map(({ name }) => stringWidth(name)));
  const nameWidth = Math.min(longest, LONGEST_NAME, Math.max(8, Math.floor(terminal.width / 3)));
  const textWidth = Math.max(...shown.map(({ text }) => stringWidth(text)));
  const room = Math.min(LONGEST_BAR, terminal.width - nameWidth - textWidth - 6);
  const isNarrow = room < 0;
  const largest = Math.max(...shown.map(({ amount }) => amount), 1);
  terminal.say(`\n${bold(wrapLine(heading, terminal.width))}`);
  for (const { name, amount, text } of shown) {
    const bar = '█'.repeat(Math.round((amount / largest) * room));
    const drawn = room < SHORTEST_BAR ? '' : `${cyan(bar)}${' '.repeat(room - bar.length)}  `;
    if (isNarrow) terminal.say(`  ${shorten(name, terminal.width - 2)}\n    ${text}`);
    else terminal.say(`  ${padTo(shorten(name, nameWidth), nameWidth)}  ${drawn}${text}`);
  }
  if (shown.length < rows.length)
    terminal.say(dim(`  … and ${count(rows.length - shown.length, 'more row')}: --csv and --json have them`));
}

function showOther(noun: string, views: number, terminal: Terminal): void {
  if (views > 0) terminal.say(terminal.colors.dim(`  ${count(views, 'view')} of other ${noun}s`));
}

function showList(heading: string, entries: readonly (readonly [name: string, views: number])[], terminal: Terminal) {
  const words = entries
    .filter(([, views]) => views > 0)
    .slice(0, 10)
    .map(([name, views]) => `${plain(name)} ${views}`);
  if (words.length > 0)
    terminal.say(`\n${terminal.colors.bold(heading)}\n${wrapLine(`  ${words.join(', ')}`, terminal.width)}`);
}
