import { releaseBefore } from '../../deploy/steps/rollback';
import { deploying, type Place } from './place';
import { anEndpoint } from './project';

const made = deploying();
const { aDeployedProject } = made;

/** A project with releases of these versions of the code. */
async function aProjectWith(...versions: string[]): Promise<Place> {
  const place = await aDeployedProject({}, ({ standIn }) => (standIn.code = versions[0]!));
  for (const version of versions.slice(1)) {
    place.standIn.code = version;
    await place.succeeds({ from: 'release' });
  }
  place.standIn.changes.length = 0;
  return place;
}

/** The number of the revision that serves each function, and the version of the site. */
const serving = ({ standIn }: Place) => ({
  functions: Object.fromEntries(
    standIn.services.all.map(({ id, pinned, revisions }) => [
      id,
      revisions.findIndex(({ name }) => name === (pinned ?? revisions.at(-1)!.name)) + 1,
    ]),
  ),
  site: standIn.siteReleases[0]!.version.name.split('/').at(-1),
});
const allAt = (n: number) => ({
  functions: { deckSite: n, finishDeletions: n, getServiceInfo: n },
  site: String(n),
});

describe('a rollback', () => {
  it('goes back to the release before, functions and site, and once more when it is asked again', async () => {
    const place = await aProjectWith('first', 'second', 'third');
    expect(serving(place)).toEqual(allAt(3));
    expect(await place.succeeds({ rollback: true })).toMatch(
      /✓ rollback +3 functions and the site serve release \w{12}/,
    );
    expect(serving(place)).toEqual(allAt(2));
    await place.succeeds({ rollback: true });
    expect(serving(place)).toEqual(allAt(1));
    expect(await place.fails({ rollback: true })).toContain('no earlier release of this deploy');
  });

  it('is ended by the next deploy, also by that of the release from which it went back', async () => {
    const place = await aProjectWith('first', 'second');
    await place.succeeds({ rollback: true });
    place.standIn.changes.length = 0;
    expect(await place.succeeds({ from: 'release' })).toContain(': 1 of 3 functions');
    expect(serving(place)).toMatchObject({ functions: { deckSite: 2, getServiceInfo: 2 }, site: '4' });
    await place.succeeds({ rollback: true });
    place.standIn.code = 'third';
    await place.succeeds({ from: 'release' });
    expect(serving(place).functions).toMatchObject({ deckSite: 3, getServiceInfo: 3 });
  });

  it('serves no function of a release that was cut off', async () => {
    const place = await aProjectWith('first');
    const { standIn, fails, succeeds } = place;
    standIn.code = 'cut off';
    standIn.refuses = (line) => (line.includes('finishDeletions') ? 'before' : undefined);
    await fails({ from: 'release' });
    standIn.refuses = () => undefined;
    standIn.code = 'third';
    await succeeds({ from: 'release' });
    expect(serving(place).functions).toEqual({ deckSite: 3, getServiceInfo: 3, finishDeletions: 2 });
    await succeeds({ rollback: true });
    expect(serving(place).functions).toEqual({ deckSite: 1, getServiceInfo: 1, finishDeletions: 1 });
  });

  it('includes a setting that a check of the deployed functions changed', async () => {
    const place = await aProjectWith('first');
    made.hops = ['198.51.100.9', '192.0.2.1'];
    place.around.ask = (question) => Promise.resolve(question.includes('[y/N]') ? 'y' : '');
    await place.succeeds({ only: 'client-address' });
    place.standIn.code = 'second';
    await place.succeeds({ from: 'release' });
    await place.succeeds({ rollback: true });
    expect(serving(place)).toEqual({ ...allAt(2), site: '1' });
  });

  it('continues after a cut, and goes back only once', async () => {
    const whole = await aProjectWith('first', 'second', 'third');
    await whole.succeeds({ rollback: true });
    expect(whole.standIn.changes).toHaveLength(4);
    for (const cut of [1, 3]) {
      const place = await aProjectWith('first', 'second', 'third');
      place.standIn.refuses = (line) => (line === whole.standIn.changes[cut] ? 'before' : undefined);
      await place.fails({ rollback: true });
      place.standIn.refuses = () => undefined;
      await place.succeeds({ rollback: true });
      expect(serving(place)).toEqual(allAt(2));
    }
  });

  it('keeps functions that are newer than the release, and names them', async () => {
    const place = await aProjectWith('first');
    place.standIn.source.push(anEndpoint('getAccount'));
    place.standIn.code = 'second';
    await place.succeeds({ from: 'release' });
    expect(await place.succeeds({ rollback: true })).toContain('newer than that release, and unchanged: getaccount');
  });

  it('says what to do when Cloud Run has no revision of the release any more', async () => {
    const place = await aProjectWith('first', 'second');
    for (const { revisions } of place.standIn.services.all) revisions.shift();
    expect(await place.fails({ rollback: true })).toMatch(/no revisions of release \w{12}[^]*after 30 days/);
  });

  it.each([
    ['b a', 'a'],
    ['a', undefined],
    ['back:a b a', undefined],
    ['back:b c b a', 'a'],
    ['c back:a b a', 'a'],
    ['back:a c back:a b a', undefined],
    ['a b a', 'b'],
    ['', undefined],
  ])('of the releases %j goes to %s', (releases, expected) => {
    const read = releases.split(' ').filter(Boolean);
    const list = read.map((each) => ({
      version: each,
      release: each.replace('back:', ''),
      isRollback: each.startsWith('back:'),
    }));
    expect(releaseBefore(list)?.release).toBe(expected);
  });
});
