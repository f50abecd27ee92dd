import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Firestore } from 'firebase-admin/firestore';
import { projectRoot } from '../../local/project';
import { runOperator } from '../../operator/program';
import { startWorld } from '../support/world';

const projectId = 'demo-restored-decks';
const databaseId = 'restored-20260131120000';
const settings = join(projectRoot, 'functions', `.env.${projectId}`);
startWorld();
afterAll(() => rmSync(settings, { force: true }));

it('reads and records on the database on which a restore left the service', async () => {
  writeFileSync(settings, `DATABASE_ID=${databaseId}\n`);
  const output = { writeOut: () => undefined, writeErr: () => undefined };
  expect(await runOperator(['show', 'reports', '--project', projectId], output)).toBe(0);
  const database = new Firestore({ projectId, databaseId });
  const { docs } = await database.collection('operatorActions').get();
  await database.terminate();
  expect(docs.map((each) => each.get('action') as string)).toEqual(['show reports']);
});
