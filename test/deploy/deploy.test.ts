import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { basename, join } from 'node:path';
import { parse } from 'yaml';
import { judge } from '../../deploy/client-address';
import { DEFAULT_REGION } from '../../deploy/context';
import { deployTables, withTables } from '../../deploy/reference';
import { callService } from '../../deploy/service';
import { steps } from '../../deploy/steps';
import { runProgram, type Surroundings } from '../../deploy/surroundings';
import { apis, logExclusion, roles } from '../../deploy/tables';
import { region } from '../../functions/src/config';
import { projectRoot } from '../../local/project';
import { passSeconds } from '../support/clock';
import { World } from '../support/world';
import { Places, Proxy, RESEND_KEY, withPrograms, type Place } from './place';
import { PROJECT, type StandIn } from './stand-in';

const ACCOUNT = `serviceAccount:decks-functions@${PROJECT}.iam.gserviceaccount.com`;

let world: World;
let proxy: Proxy;
let places: Places;

beforeAll(async () => {
  // The check opens the marketplace, whose host name with deck origins only browsers resolve.
  world = await World.start({ deckOrigin: false });
  proxy = await Proxy.start(world.cloud.baseUrl);
  places = new Places(world, proxy);
});

afterAll(async () => {
  places.remove();
  await proxy.close();
  await world.stop();
});

beforeEach(() => {
  proxy.hops = ['198.51.100.9'];
});

afterEach(() => places.close());

const anEmptyProject = (changes?: Partial<Surroundings>) => places.empty(changes);

const changesOf = ({ standIn }: Place) => [...standIn.changes];

describe('a deploy', () => {
  it('prepares an empty project by the programs on PATH, deploys and checks the service', async () => {
    const place = await anEmptyProject();
    const { around, standIn, printed } = place;
    const env = withPrograms(around);
    around.run = (command) => runProgram(command, around.root, env);
    standIn.propagating = 2;
    standIn.unknownApis = 2;
    proxy.refusals = 2;

    const status = await place.deploy();

    expect(printed.join('\n')).toContain('✓ client-address');
    expect(status).toBe(0);
    expect(standIn.apis).toEqual(new Set(apis.map(({ name }) => name)));
    expect(standIn.databases).toMatchObject([{ type: 'FIRESTORE_NATIVE', locationId: 'us-central1' }]);
    expect(standIn.bucket).toMatchObject({
      location: 'us-central1',
      cors: [{ method: ['GET', 'HEAD'] }],
      lifecycle: { rule: [{ condition: { matchesPrefix: ['quarantine/'] } }, {}] },
    });
    expect(standIn.exclusions).toEqual([logExclusion]);
    expect(standIn).toMatchObject({ hasCleanupPolicy: true, isSiteReleased: true });
    expect(standIn.authentication).toMatchObject({ client: { permissions: { disabledUserSignup: true } } });

    const granted = [...standIn.policies].flatMap(([resource, { bindings }]) =>
      bindings.filter(({ members }) => members.includes(ACCOUNT)).map(({ role }) => `${role} on ${resource}`),
    );
    expect(granted.sort()).toEqual([
      `roles/datastore.user on ${PROJECT}`,
      `roles/firebaseauth.admin on ${PROJECT}`,
      `roles/iam.serviceAccountTokenCreator on ${ACCOUNT.replace('serviceAccount:', '')}`,
      'roles/run.invoker on finishdeletions',
      'roles/secretmanager.secretAccessor on RESEND_API_KEY',
      'roles/secretmanager.secretAccessor on SERVICE_SECRET',
      `roles/storage.objectAdmin on gs://${PROJECT}.firebasestorage.app`,
    ]);
    expect(new Set(granted.map((each) => each.split(' ')[0]))).toEqual(new Set(roles.map(({ name }) => name)));

    const settings = readFileSync(join(around.root, 'functions', `.env.${PROJECT}`), 'utf8');
    expect(settings).toBe(
      `REGION=us-central1\nMAIL_FROM="Decks <decks@example.org>"\nSERVICE_ACCOUNT=${ACCOUNT.slice(15)}\n`,
    );

    const secrets = [...standIn.secretVersions.values()].flat();
    expect(standIn.secretVersions.get('RESEND_API_KEY')).toEqual([RESEND_KEY]);
    expect(standIn.secretVersions.get('SERVICE_SECRET')).toEqual([expect.stringMatching(/^[A-Za-z0-9+/]{43}=$/)]);
    const shown = [...standIn.argumentsSeen, ...printed].join('\n');
    for (const secret of secrets) expect(shown).not.toContain(secret);
  });

  it('changes nothing when it runs again, but deploys', async () => {
    const place = await anEmptyProject();
    expect(await place.deploy()).toBe(0);
    const first = place.standIn.snapshot();
    const secrets = structuredClone(place.standIn.secretVersions);
    place.standIn.changes.length = 0;
    expect(await place.deploy()).toBe(0);
    expect(changesOf(place)).toEqual([
      `firebase deploy --only=firestore,storage --project=${PROJECT} --non-interactive`,
      `firebase deploy --only=functions --project=${PROJECT} --non-interactive`,
      `firebase deploy --only=hosting --project=${PROJECT} --non-interactive`,
    ]);
    expect(place.standIn.snapshot()).toEqual(first);
    expect(place.standIn.secretVersions).toEqual(secrets);
  });

  it('prints in a dry run the commands that a first deploy runs, and runs none', async () => {
    const dry = await anEmptyProject({ env: {} });
    expect(await dry.deploy({ dryRun: true })).toBe(0);
    expect(dry.standIn.lines).toEqual([]);
    const real = await anEmptyProject();
    // A new project has no API enabled that the deploy needs.
    real.standIn.apis.clear();
    expect(await real.deploy()).toBe(0);
    const plan = dry.printed
      .flatMap((printed) => printed.split('\n'))
      .filter((line) => line !== '' && !/^(#|echo )/.test(line))
      .map((line) => {
        const [, method, url] = /^curl .*-X (\w+) .* '?https:\/(\S+?)'?$/.exec(line) ?? [];
        if (method) return `${method} ${url}`;
        return line.replace(/^.* \| /, '').replace(/"(--member=serviceAccount:)\$\(.*\)(-compute@.*?)"/, '$14711$2');
      });
    expect(plan).toEqual(changesOf(real));
  });

  it.each(['before', 'after'] as const)('continues when each change was cut off %s it took effect', async (side) => {
    const whole = await anEmptyProject();
    expect(await whole.deploy()).toBe(0);
    const changes = changesOf(whole);
    expect(changes.length).toBeGreaterThan(20);
    for (const [i, cut] of changes.entries()) {
      const place = await anEmptyProject();
      const { standIn, printed } = place;
      standIn.refuses = (line) => (line === cut ? side : undefined);
      expect([cut, await place.deploy()]).toEqual([cut, 1]);
      expect(changesOf(place)).toEqual(changes.slice(0, side === 'after' ? i + 1 : i));
      expect(printed.join('\n')).toMatch(/^✗ [a-z-]+ +This (command|call) [\s\S]*run the same command again/m);
      const failed = printed.findIndex((line) => line.startsWith('✗'));
      expect(printed.slice(0, failed).every((line) => /^[✓…]/.test(line))).toBe(true);

      standIn.refuses = () => undefined;
      expect([cut, await place.deploy()]).toEqual([cut, 0]);
      expect(standIn.snapshot()).toEqual(whole.standIn.snapshot());
      // Nothing is done twice, but a deploy.
      const again = changesOf(place).filter((line, j, all) => all.indexOf(line) !== j);
      expect(again.filter((line) => !/^firebase deploy/.test(line))).toEqual([]);
    }
  });

  it('names the step and the command when a look is refused', async () => {
    const whole = await anEmptyProject();
    await whole.deploy();
    const looks = whole.standIn.lines.filter((line) => !whole.standIn.changes.includes(line));
    for (const refused of new Set(looks)) {
      const place = await anEmptyProject();
      place.standIn.refuses = (line) => (line === refused ? 'before' : undefined);
      expect([refused, await place.deploy()]).toEqual([refused, 1]);
      const failure = place.printed.find((line) => line.startsWith('✗'))!;
      const step = place.printed.filter((line) => line.startsWith('✓')).length;
      expect(failure).toMatch(new RegExp(`^✗ ${steps[step]!.name}`));
      if (!/^firebase --version|^GET/.test(refused)) expect(failure).toContain(refused);
    }
  });

  it.each<[string, (standIn: StandIn) => void, RegExp]>([
    ['an old firebase-tools', (s) => (s.firebaseVersion = '13.1.0'), /✗ tools .*13\.1\.0 is too old/],
    ['no login', (s) => (s.isLoggedIn = false), /gcloud is not logged in[\s\S]*gcloud auth login/],
    ['no billing', (s) => (s.hasBilling = false), /no billing account[\s\S]*usage\/details/],
    [
      'a database in Datastore mode',
      (s) => s.databases.push({ name: 'x/databases/(default)', type: 'DATASTORE_MODE', locationId: 'eur3' }),
      /✗ database .*Datastore mode/,
    ],
  ])('stops at %s and says what to do', async (_what, prepare, told) => {
    const place = await anEmptyProject();
    prepare(place.standIn);
    expect(await place.deploy()).toBe(1);
    expect(place.printed.join('\n')).toMatch(told);
  });

  it.each([
    'Quota exceeded for total allowable CPU per project per region.',
    'For the specified value, maxScale may not exceed 20.',
  ])('says what a refused quota means: %s', async (refusal) => {
    const place = await anEmptyProject();
    const run = place.around.run.bind(place.around);
    place.around.run = async (command) =>
      command.args.includes('--only=functions') ? { status: 2, stdout: '', stderr: `Error: ${refusal}` } : run(command);
    expect(await place.deploy()).toBe(1);
    expect(place.printed.join('\n')).toMatch(/✗ release[\s\S]*Error: [\s\S]*README\.md, "When a quota is too small"/);
  });

  it('shows no secret when a program prints it and fails', async () => {
    const place = await anEmptyProject();
    const run = place.around.run.bind(place.around);
    place.around.run = async (command) =>
      command.args.includes('RESEND_API_KEY') && command.input
        ? { status: 1, stdout: '', stderr: `Error: ${command.input.value} is refused` }
        : run(command);
    expect(await place.deploy()).toBe(1);
    expect(place.printed.join('\n')).toContain('Error: <secret> is refused');
    expect(place.printed.join('\n')).not.toContain(RESEND_KEY);
  });

  it('fails for a missing value without a terminal, and asks for it in one', async () => {
    const silent = await anEmptyProject();
    silent.around.env = { STAND_IN: silent.around.env['STAND_IN'] };
    expect(await silent.deploy()).toBe(1);
    expect(silent.printed.join('\n')).toMatch(/✗ settings .*missing[\s\S]*--mail-from/);
    expect(await silent.deploy({ mailFrom: 'decks@example.org' })).toBe(1);
    expect(silent.printed.join('\n')).toMatch(/✗ secrets .*Resend[\s\S]*RESEND_API_KEY/);

    const asked: [string, boolean | undefined][] = [];
    silent.around.ask = (question, isSecret) => {
      asked.push([question, isSecret]);
      return Promise.resolve(question.startsWith('Resend') ? `${RESEND_KEY}\n` : '');
    };
    expect(await silent.deploy()).toBe(0);
    expect(asked).toEqual([
      [expect.stringContaining('Resend API key'), true],
      [expect.stringContaining('empty: no test'), undefined],
    ]);
    expect(silent.standIn.secretVersions.get('RESEND_API_KEY')).toEqual([RESEND_KEY]);
  });

  it('keeps the region of an earlier deploy, and moves the functions only when told', async () => {
    const place = await anEmptyProject();
    expect(await place.deploy({ region: 'europe-west1' })).toBe(0);
    expect(place.standIn.databases[0]!.locationId).toBe('europe-west1');
    expect(await place.deploy({ region: 'us-east1' })).toBe(1);
    expect(place.printed.join('\n')).toMatch(/✗ settings .*has the region europe-west1, not us-east1/);
    place.standIn.changes.length = 0;
    expect(await place.deploy()).toBe(0);
    expect(place.standIn.functionsIn).toBe('europe-west1');
    expect(changesOf(place).join('\n')).not.toContain('--force');
  });

  it('keeps other lines of the settings, lifecycle rules and exclusions of the operator', async () => {
    const place = await anEmptyProject();
    const file = join(place.around.root, 'functions', `.env.${PROJECT}`);
    writeFileSync(file, '# Mine\nMAIL_PATIENCE_SECONDS=30 # seconds\nMAIL_FROM="A \\"B\\" <a@example.org>"\n');
    delete place.around.env['MAIL_FROM'];
    const rule = { action: { type: 'Delete' }, condition: { age: 400 } };
    const cors = { origin: ['https://app.example.org'], method: ['PUT'] };
    place.standIn.bucket = { location: 'us-east1', lifecycle: { rule: [rule] }, cors: [cors] };
    place.standIn.exclusions = [{ name: 'mine', filter: 'severity<ERROR' }];
    expect(await place.deploy()).toBe(0);
    expect(readFileSync(file, 'utf8')).toBe(
      '# Mine\nMAIL_PATIENCE_SECONDS=30 # seconds\nMAIL_FROM="A \\"B\\" <a@example.org>"\n' +
        `REGION=us-central1\nSERVICE_ACCOUNT=${ACCOUNT.slice(15)}\n`,
    );
    expect(place.standIn.bucket.lifecycle).toEqual({
      rule: [rule, {}, {}].map((each) => expect.objectContaining(each)),
    });
    expect(place.standIn.bucket.cors).toEqual([cors, expect.objectContaining({ method: ['GET', 'HEAD'] })]);
    expect(place.printed.join('\n')).toMatch(/✓ bucket .*beside 1 CORS and 1 lifecycle rules that were there/);
    expect(place.standIn.exclusions.map(({ name }) => name)).toEqual(['mine', logExclusion.name]);
    place.standIn.changes.length = 0;
    expect(await place.deploy()).toBe(0);
    expect(changesOf(place).filter((line) => !line.startsWith('firebase deploy'))).toEqual([]);
  });

  it('gives up when the service does not answer', async () => {
    const place = await anEmptyProject();
    proxy.refusals = 30;
    expect(await place.deploy()).toBe(1);
    expect(place.printed.join('\n')).toMatch(/✗ check .*answers 403[\s\S]*must allow it for this project/);
    expect(await place.deploy({ from: 'check' })).toBe(0);
  });

  it('names the address of an answer that is cut off', async () => {
    const server = createServer((_, response) => {
      response.writeHead(200, { 'content-length': '100' });
      response.write('{', () => response.destroy());
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    await expect(callService(url)).rejects.toThrow(`${url} does not answer: `);
    await new Promise((resolve) => server.close(resolve));
  });

  it('keeps the settings of Authentication that another app of the project uses', async () => {
    const place = await anEmptyProject();
    const used = { signIn: { email: { enabled: true } } };
    place.standIn.authentication = used;
    expect(await place.deploy()).toBe(0);
    expect(place.standIn.authentication).toBe(used);
    expect(place.printed.join('\n')).toMatch(/✓ authentication .*visitors may create users too/);
  });

  it('closes sign-ups only in a project where nobody signs up', async () => {
    for (const prepare of [
      (s: StandIn) => (s.authentication = { signIn: { anonymous: { enabled: true } } }),
      (s: StandIn) => ((s.authentication = {}), (s.hasUsers = true)),
      (s: StandIn) => ((s.authentication = {}), (s.identityProviders = [{ name: 'google.com' }])),
    ]) {
      const place = await anEmptyProject();
      prepare(place.standIn);
      expect(await place.deploy()).toBe(0);
      expect(place.standIn.authentication).toMatchObject({ signIn: { email: { enabled: true } } });
      expect(place.standIn.authentication).not.toHaveProperty('client');
    }
  });

  describe('to a project with another app', () => {
    const foreign = { id: 'theirs', region: 'us-central1', codebase: 'default' };
    const open = 'match /{all=**} { allow read: if true; allow write: if false; } // allow write: if false;';
    const closed = 'match /{all=**} { allow read, write: if false; } // allow read: if true;';

    it.each<[string, (standIn: StandIn) => void, string]>([
      ['functions', (s) => (s.otherFunctions = [foreign]), '- the function theirs in us-central1'],
      ['rules', (s) => (s.rules = { 'cloud.firestore': open }), '- the rules of cloud.firestore'],
      [
        'rules of the bucket',
        (s) => (s.rules = { [`firebase.storage/${PROJECT}.appspot.com`]: open }),
        '- the rules of firebase.storage',
      ],
      [
        'a site',
        (s) => {
          s.sites = [{ name: `projects/${PROJECT}/sites/${PROJECT}`, type: 'DEFAULT_SITE' }];
          s.isSiteReleased = true;
        },
        `- the site ${PROJECT}.web.app`,
      ],
    ])('stops before it replaces %s, and continues when told', async (_what, prepare, told) => {
      const place = await anEmptyProject();
      for (const { name } of apis) place.standIn.apis.add(name);
      prepare(place.standIn);
      for (const options of [{}, { from: 'release' }, { only: 'release' }]) {
        expect(await place.deploy(options)).toBe(1);
        expect(changesOf(place)).toEqual([]);
        expect(place.printed.splice(0).join('\n')).toMatch(/✗ preflight .*has another app[^]*--existing-project/);
      }
      expect(await place.deploy({ existingProject: true })).toBe(0);
      expect(place.printed.splice(0).join('\n')).toContain(told);
      expect(await place.deploy()).toBe(0);
      expect(place.printed.join('\n')).toContain('deployed to this project before');
    });

    it('does not stop at rules that deny everything, or of other databases', async () => {
      const place = await anEmptyProject();
      for (const { name } of apis) place.standIn.apis.add(name);
      place.standIn.rules = { 'cloud.firestore': closed, 'cloud.firestore/other': open };
      expect(await place.deploy()).toBe(0);
      expect(place.printed.join('\n')).toContain('no other app in this project');
    });

    it('never deletes functions of others, and lists the own ones that it deletes', async () => {
      const place = await anEmptyProject();
      expect(await place.deploy()).toBe(0);
      place.standIn.otherFunctions = [foreign, { ...foreign, id: 'old', codebase: 'decks' }];
      expect(await place.deploy()).toBe(1);
      expect(place.printed.splice(0).join('\n')).toMatch(
        /have these functions any more:\s+old\(us-central1\)\s+To delete/,
      );
      expect(await place.deploy({ deleteRemoved: true })).toBe(0);
      expect(place.standIn.otherFunctions).toEqual([foreign]);
      expect(place.printed.splice(0).join('\n')).toMatch(/! These functions are deleted[^:]*:\s+old\(us-central1\)/);
      place.standIn.changes.length = 0;
      expect(await place.deploy({ deleteRemoved: true })).toBe(0);
      expect(changesOf(place).join('\n')).not.toContain('--force');
    });

    it('sets the policy of the images in a new region beside functions of others', async () => {
      const place = await anEmptyProject();
      place.standIn.otherFunctions = [{ ...foreign, region: 'asia-east1' }];
      expect(await place.deploy({ existingProject: true })).toBe(0);
      expect(place.standIn).toMatchObject({ hasCleanupPolicy: true, isSiteReleased: true });
      expect(changesOf(place).filter((line) => /deploy.*--force/.test(line))).toEqual([]);
    });
  });

  it('reports functions that fail when the repository of the images is new', async () => {
    const place = await anEmptyProject();
    place.standIn.failsToCreate = 'Quota exceeded for total allowable CPU';
    expect(await place.deploy()).toBe(1);
    expect(place.printed.join('\n')).toMatch(/✗ release[^]*Quota exceeded[^]*README\.md, "When a quota is too small"/);
    expect(place.standIn).toMatchObject({ hasCleanupPolicy: true, isSiteReleased: false });
  });

  it('deploys the functions when the indexes are built', async () => {
    const place = await anEmptyProject();
    place.standIn.buildingIndexes = 3;
    expect(await place.deploy()).toBe(0);
    expect(place.printed.join('\n')).toContain('… waiting until 1 indexes are built');
    const { lines } = place.standIn;
    expect(lines.findLastIndex((line) => line.includes('indexes composite list'))).toBeLessThan(
      lines.findIndex((line) => line.includes('--only=functions')),
    );
    place.standIn.buildingIndexes = 1000;
    place.standIn.changes.length = 0;
    expect(await place.deploy({ from: 'release' })).toBe(1);
    expect(place.printed.join('\n')).toMatch(/✗ release .*1 indexes of the database are still being built/);
    expect(changesOf(place)).toHaveLength(1);
  });

  it('runs as the account that the operator chose, and creates only its own', async () => {
    const own = `own@${PROJECT}.iam.gserviceaccount.com`;
    const place = await anEmptyProject();
    expect(await place.deploy({ set: ['SERVICE_ACCOUNT=own@'] })).toBe(1);
    expect(place.printed.join('\n')).toContain(`✗ account`);
    expect(place.printed.join('\n')).toContain(`${own} of the setting SERVICE_ACCOUNT does not exist`);
    place.standIn.accounts.add(own);
    expect(await place.deploy()).toBe(0);
    expect([...place.standIn.accounts]).toEqual([own]);
    expect(JSON.stringify([...place.standIn.policies])).not.toContain('decks-functions');
    expect(readFileSync(join(place.around.root, 'functions', `.env.${PROJECT}`), 'utf8')).toContain(
      `SERVICE_ACCOUNT=${own}\n`,
    );
  });

  it('does not replace a disabled secret', async () => {
    const place = await anEmptyProject();
    expect(await place.deploy()).toBe(0);
    place.standIn.disabledSecrets.add('SERVICE_SECRET');
    expect(await place.deploy()).toBe(1);
    expect(place.printed.join('\n')).toContain(
      `gcloud secrets versions enable 1 --secret=SERVICE_SECRET --project=${PROJECT}`,
    );
    expect(place.standIn.secretVersions.get('SERVICE_SECRET')).toHaveLength(1);
  });

  it('waits for APIs that an earlier run enabled', async () => {
    const place = await anEmptyProject();
    expect(await place.deploy()).toBe(0);
    place.standIn.unknownApis = 2;
    expect(await place.deploy({ from: 'bucket' })).toBe(0);
    expect(place.printed.join('\n')).toContain('… waiting until Google knows the new account or API everywhere');
  });

  it('grants roles beside bindings with a condition', async () => {
    const place = await anEmptyProject();
    const conditional = { role: 'roles/viewer', members: ['user:me@example.org'], condition: { title: 'until May' } };
    for (const resource of [`gs://${PROJECT}.firebasestorage.app`, 'SERVICE_SECRET', ACCOUNT.slice(15), PROJECT]) {
      place.standIn.policies.set(resource, { bindings: [structuredClone(conditional)] });
    }
    expect(await place.deploy()).toBe(0);
  });

  it('writes settings that options change also when it continues later', async () => {
    const place = await anEmptyProject();
    const file = join(place.around.root, 'functions', `.env.${PROJECT}`);
    expect(await place.deploy()).toBe(0);
    writeFileSync(file, `CPU_QUOTA=30\n${readFileSync(file, 'utf8')}# Mine\nCPU_QUOTA=40\n`);
    expect(await place.deploy({ set: ['CPU_QUOTA=50'], mailFrom: 'other@example.org', from: 'release' })).toBe(0);
    expect(readFileSync(file, 'utf8')).toBe(
      `REGION=us-central1\nMAIL_FROM=other@example.org\nSERVICE_ACCOUNT=${ACCOUNT.slice(15)}\n# Mine\nCPU_QUOTA=50\n`,
    );
    expect(await place.deploy({ proxyHops: 1, only: 'jobs' })).toBe(0);
    expect(readFileSync(file, 'utf8')).toContain('TRUSTED_PROXY_HOPS=1\n');
  });

  it('enables a disabled exclusion of the log', async () => {
    const place = await anEmptyProject();
    place.standIn.exclusions = [{ ...logExclusion, disabled: true }];
    expect(await place.deploy()).toBe(0);
    expect(place.standIn.exclusions).toEqual([logExclusion]);
  });

  it('uses the default site of the project, and keeps all images when the operator chose that', async () => {
    const place = await anEmptyProject();
    place.standIn.sites = [{ name: `projects/${PROJECT}/sites/another-name`, type: 'DEFAULT_SITE' }];
    expect(await place.deploy()).toBe(0);
    expect(readFileSync(join(place.around.root, 'functions', `.env.${PROJECT}`), 'utf8')).toContain(
      'VIEWER_URL=https://another-name.web.app\nMARKETPLACE_URL=https://another-name.web.app\n',
    );
    place.standIn.hasCleanupPolicy = false;
    place.standIn.repositoryLabels = { 'firebase-functions-cleanup-opted-out': 'true' };
    place.standIn.changes.length = 0;
    expect(await place.deploy()).toBe(0);
    expect(changesOf(place).join('\n')).not.toContain('setpolicy');
    place.standIn.repositoryLabels = {};
    expect(await place.deploy()).toBe(0);
    expect(changesOf(place).join('\n')).toContain('firebase functions:artifacts:setpolicy --location=us-central1');
  });

  it('finishes the roles of functions that an earlier deploy made with another account', async () => {
    const place = await anEmptyProject();
    expect(await place.deploy()).toBe(0);
    place.standIn.policies.get('finishdeletions')!.bindings = [];
    expect(await place.deploy()).toBe(0);
    expect(place.standIn.policies.get('finishdeletions')!.bindings).toEqual([
      { role: 'roles/run.invoker', members: [ACCOUNT] },
    ]);
  });
});

describe('the check of the client address', () => {
  const google = '192.0.2.1';

  it.each<[string, string[], number, string | undefined, RegExp]>([
    [
      'is right',
      ['198.51.100.9'],
      1,
      '198.51.100.9',
      /✓ client-address +the functions see 198\.51\.100\.9, the address of this/,
    ],
    [
      'is right and cannot be confirmed',
      ['198.51.100.9'],
      1,
      undefined,
      /✓ client-address .*which nothing else confirms/,
    ],
    [
      'sees a proxy',
      ['198.51.100.9', google],
      1,
      '198.51.100.9',
      /see 192\.0\.2\.1 instead of 198\.51\.100\.9: TRUSTED_PROXY_HOPS is 1 and must be 2/,
    ],
    [
      'believes an invented address',
      ['198.51.100.9'],
      2,
      undefined,
      /believe an address that a client invents: TRUSTED_PROXY_HOPS is 2 and must be 1/,
    ],
    ['sees no proxy at all', [], 1, '198.51.100.9', /TRUSTED_PROXY_HOPS is 1 and must be 0/],
  ])('%s', async (_what, hops, trusted, publicAddress, told) => {
    const place = await anEmptyProject({ lookUpAddress: () => Promise.resolve(publicAddress) });
    proxy.hops = hops;
    const status = await place.deploy({ proxyHops: trusted });
    expect(place.printed.join('\n')).toMatch(told);
    expect(status).toBe(told.source.startsWith('✓') ? 0 : 1);
    if (status === 0) return;
    const [, right] = /must be (\d)/.exec(place.printed.join('\n'))!;
    expect(place.printed.join('\n')).toContain(`npm run deploy -- --project ${PROJECT} --proxy-hops ${right}`);
    expect(place.printed.join('\n')).toContain(`add the line TRUSTED_PROXY_HOPS=${right} to the variable SETTINGS`);
    expect(await place.deploy({ proxyHops: Number(right) })).toBe(0);
  });

  it('counts all entries when a proxy drops the invented one', () => {
    const seen = { clientAddress: '198.51.100.9', forwardedFor: ['198.51.100.9'], trustedProxyHops: 1 };
    expect(judge(seen, '203.0.113.77', '::ffff:198.51.100.9')).toMatchObject({
      hops: 1,
      isRight: true,
      isConfirmed: true,
    });
    expect(judge({ ...seen, trustedProxyHops: 2 }, '203.0.113.77', undefined)).toMatchObject({
      hops: 1,
      isRight: false,
    });
  });

  it('sets the right number of proxies and deploys again when the operator agrees', async () => {
    const questions: string[] = [];
    const place = await anEmptyProject({
      ask: (question) => {
        questions.push(question);
        return Promise.resolve(question.includes('[y/N]') ? 'y' : '');
      },
    });
    proxy.hops = ['198.51.100.9', google];
    expect(await place.deploy()).toBe(0);
    expect(questions[0]).toContain('Set TRUSTED_PROXY_HOPS to 2 and deploy the functions again?');
    expect(changesOf(place).at(-1)).toBe(`firebase deploy --only=functions --project=${PROJECT} --non-interactive`);
    expect(readFileSync(join(place.around.root, 'functions', `.env.${PROJECT}`), 'utf8')).toContain(
      'TRUSTED_PROXY_HOPS=2\n',
    );
  });
});

describe('the test mail', () => {
  it('signs a new operator up, logs a known one in, and leaves no key', async () => {
    const operator = 'operator@example.org';
    const place = await anEmptyProject({
      ask: async (question) => (question.includes('6-digit') ? world.mailedCode(operator) : ''),
    });
    expect(await place.deploy({ operator })).toBe(0);
    expect(place.printed.join('\n')).toMatch(/✓ sign-up +operator@example.org has an account now/);
    const keys = await world.database.collection('apiKeys').get();
    expect(keys.docs.map((each) => each.data()['status'] as string)).toEqual(['revoked']);

    passSeconds(60);
    expect(await place.deploy({ operator })).toBe(0);
    expect(place.printed.join('\n')).toMatch(/✓ sign-up +operator@example.org can log in/);

    const silent = await anEmptyProject();
    expect(await silent.deploy({ operator: 'other@example.org', only: 'sign-up' })).toBe(0);
    // The service sends another code after 30 seconds.
    const print = silent.around.print;
    silent.around.print = (line) => {
      print(line);
      if (line.includes('a moment ago')) passSeconds(60);
    };
    expect(await silent.deploy({ operator: 'other@example.org', only: 'sign-up' })).toBe(0);
    expect(silent.printed.join('\n')).toContain('… a code was sent to other@example.org a moment ago');
    expect(silent.printed.join('\n')).toContain('a code is on its way to other@example.org');
    expect(await world.mailedCode('other@example.org')).toMatch(/^\d{6}$/);
  });
});

describe('npm run deploy', () => {
  const script = join(projectRoot, 'scripts', 'deploy.mjs');
  const start = (...args: string[]) => spawnSync(process.execPath, [script, ...args], { encoding: 'utf8' });

  it('refuses a wrong command line with 2, and runs no program in a dry run', () => {
    for (const [args, told] of [
      [[], /--project <id>' not specified/],
      [['--project', PROJECT, '--only', 'nothing'], /no step nothing\. The steps: tools, preflight, settings, /],
      [['--project', PROJECT, '--proxy-hops', 'two'], /not a whole number from 0 to 9/],
      [['--project', PROJECT, '--set', 'cpu=1'], /not NAME=value/],
      [['--project', PROJECT, '--set', 'REGION=us-east1'], /Use --region/],
    ] as const) {
      const { status, stderr } = start(...args);
      expect([status, stderr]).toEqual([2, expect.stringMatching(told)]);
    }
    const { status, stdout } = start('--project', PROJECT, '--dry-run', '--set', 'CPU_QUOTA=40');
    expect(status).toBe(0);
    expect(stdout).toContain(`echo CPU_QUOTA=40 >> functions/.env.${PROJECT}\n`);
    expect(existsSync(join(projectRoot, 'functions', `.env.${PROJECT}`))).toBe(false);
  });

  const inTerminal = spawnSync('script', ['--version']).stdout?.includes('util-linux') ? it : it.skip;
  inTerminal('does not show a secret that is typed', async () => {
    const { around, standIn } = await anEmptyProject();
    standIn.apis.add('secretmanager.googleapis.com');
    standIn.accounts.add(ACCOUNT.slice(15));
    const env = { ...withPrograms(around), RESEND_API_KEY: undefined };
    const line = `${process.execPath} ${script} --project ${PROJECT} --only secrets`;
    const child = spawn('script', ['-qec', line, '/dev/null'], { env, stdio: ['pipe', 'pipe', 'inherit'] });
    let shown = '';
    child.stdout.on('data', (chunk: Buffer) => {
      const wasAsked = shown.includes('Resend API key');
      shown += chunk.toString();
      if (!wasAsked && shown.includes('Resend API key')) child.stdin.write(`${RESEND_KEY}\r`);
    });
    const [status] = (await once(child, 'close')) as [number];
    expect([status, shown]).toEqual([0, expect.stringContaining('✓ secrets')]);
    expect(standIn.secretVersions.get('RESEND_API_KEY')).toEqual([RESEND_KEY]);
    for (const [value] of standIn.secretVersions.values()) expect(shown).not.toContain(value);
  });
});

describe('the repository', () => {
  it('documents the steps, APIs and roles of the deploy', () => {
    const document = readFileSync(join(projectRoot, 'docs', 'deploy.md'), 'utf8');
    expect(withTables(document)).toBe(document);
    for (const name of Object.keys(deployTables())) expect(document).toContain(`<!-- ${name} -->\n\n|`);
  });

  it.each(['check', 'deploy'])('has a workflow %s that runs existing commands with least rights', (name) => {
    const file = readFileSync(join(projectRoot, '.github', 'workflows', `${name}.yml`), 'utf8');
    const { permissions, jobs } = parse(file) as {
      permissions: Record<string, string>;
      jobs: Record<string, { steps: { uses?: string; run?: string }[] }>;
    };
    expect(permissions).toEqual({ contents: 'read', ...(name === 'deploy' && { 'id-token': 'write' }) });
    const { scripts } = JSON.parse(readFileSync(join(projectRoot, 'package.json'), 'utf8')) as {
      scripts: Record<string, string>;
    };
    const all = Object.values(jobs).flatMap(({ steps }) => steps);
    for (const { uses, run } of all) {
      // The owner of an action can move a tag.
      if (uses) expect(file).toMatch(new RegExp(`uses: ${uses} # v\\d+\\.\\d+\\.\\d+$`, 'm'));
      if (uses) expect(uses).toMatch(/^[\w-]+\/[\w-]+@[0-9a-f]{40}$/);
      // A value of another person that stands in a script would be run as code.
      expect(run ?? '').not.toContain('${{');
      const script = /^npm run (\w+)/.exec(run ?? '')?.[1];
      if (script) expect(Object.keys(scripts)).toContain(script);
    }
    expect(all.some(({ run }) => run === '.ci/run' || run?.startsWith('npm run deploy'))).toBe(true);
    const login = all.findIndex(({ uses }) => uses?.includes('/auth@'));
    const installs = all.flatMap(({ run }, i) => (/^npm install|--help$/.test(run ?? '') ? [i] : []));
    expect(installs).toHaveLength(name === 'deploy' ? 2 : 0);
    for (const i of installs) expect([i < login, all[i]]).toEqual([true, { run: all[i]!.run }]);
  });

  it('deploys to the region that the functions expect without a setting', () => {
    const stored = process.env['REGION'];
    delete process.env['REGION'];
    expect(region()).toBe(DEFAULT_REGION);
    if (stored !== undefined) process.env['REGION'] = stored;
  });

  it('counts no client by address in a function that Hosting calls, where other proxies write entries', () => {
    const { hosting } = JSON.parse(readFileSync(join(projectRoot, 'firebase.json'), 'utf8')) as {
      hosting: { rewrites: { function?: { functionId: string } }[] };
    };
    const names = new Set(
      hosting.rewrites.flatMap((each) => (each.function ? [`${each.function.functionId}.ts`] : [])),
    );
    const folder = join(projectRoot, 'functions', 'src', 'endpoints');
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) =>
      names.has(basename(file)),
    );
    expect(files).toHaveLength(names.size);
    for (const file of files) expect(readFileSync(join(folder, file), 'utf8')).not.toContain('clientAddress');
  });

  it('has one license', () => {
    for (const folder of ['', 'functions', 'cli']) {
      const { license } = JSON.parse(readFileSync(join(projectRoot, folder, 'package.json'), 'utf8')) as {
        license: string;
      };
      expect(license).toBe('MIT');
    }
    expect(readFileSync(join(projectRoot, 'LICENSE'), 'utf8')).toMatch(/^MIT License\n/);
  });
});
