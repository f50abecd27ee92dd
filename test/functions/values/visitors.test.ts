import { visitorHeaders } from '../../../functions/src/decks/seen';
import { isRobot } from '../../../functions/src/values/visitors';
import { people, prefetches, robots, type Visitors } from '../../support/user-agents';

const isTakenForRobot = (headers: Record<string, string>) =>
  isRobot(visitorHeaders({ headers } as Parameters<typeof visitorHeaders>[0]));

const names = (visitors: Visitors) => visitors.map(([name]) => name);
const robotsAmong = (visitors: Visitors) =>
  names(visitors.filter(([, sent]) => isTakenForRobot(typeof sent === 'string' ? { 'user-agent': sent } : sent)));

test('link previews, mail scanners, search engines and programs are robots', () => {
  expect(robotsAmong(robots)).toEqual(names(robots));
});

test('a page that a browser loads before somebody opens it is not seen by a person', () => {
  expect(robotsAmong(prefetches)).toEqual(names(prefetches));
});

test('browsers of people are not robots: those in apps, without scripts, and without headers that say what they are', () => {
  expect(robotsAmong(people)).toEqual([]);
  expect(people.length).toBeGreaterThan(30);
});
