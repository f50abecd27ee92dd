import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { gcloud } from '../command';
import type { Deploy } from '../context';
import type { Step } from './step';

interface Configuration {
  cors?: unknown[];
  lifecycle?: { rule?: unknown[] };
}

const addressIn = (project: string) =>
  `https://firebasestorage.googleapis.com/v1alpha/projects/${project}/defaultBucket`;

export const prepareBucket: Step = {
  name: 'bucket',
  about: 'the default bucket exists, with the CORS rules and the lifecycle of this folder',
  async run(deploy) {
    const { project, region } = deploy;
    const isFound = await findBucket(deploy);
    if (!isFound) {
      // https://firebase.google.com/docs/reference/rest/storage/rest/v1alpha/projects.defaultBucket/create
      const made = await deploy.call(
        { method: 'POST', url: addressIn(project), body: { location: region }, project },
        true,
        `Open https://console.firebase.google.com/project/${project}/storage and choose Get started.`,
      );
      deploy.bucket = bucketOf(made) ?? deploy.bucket;
    }
    const told = await configure(deploy);
    return `${deploy.bucket}${isFound ? '' : ` created in ${region}`}, with CORS and lifecycle${told}`;
  },
};

/** Reads the name of the default bucket. Answers whether there is one. */
export async function findBucket(deploy: Deploy): Promise<boolean> {
  const { project } = deploy;
  const found = bucketOf(await deploy.call({ method: 'GET', url: addressIn(project), project }, false));
  if (found) deploy.bucket = found;
  return found !== undefined;
}

function bucketOf({ body }: { body: unknown }): string | undefined {
  return (body as { bucket?: { name?: string } } | undefined)?.bucket?.name?.split('/').at(-1);
}

/** Adds the rules of this folder to those of the bucket. Answers which other rules stay. */
async function configure(deploy: Deploy): Promise<string> {
  const { project, bucket } = deploy;
  const { cors = [], lifecycle } = await deploy.look<Configuration>(
    gcloud('storage', 'buckets', 'describe', `gs://${bucket}`, '--raw', `--project=${project}`, '--format=json'),
    {},
  );
  const read = (file: string) => JSON.parse(readFileSync(join(deploy.around.root, file), 'utf8')) as unknown;
  const wantedCors = read('storage.cors.json') as unknown[];
  const others = await addRules(deploy, 'storage.cors.json', '--cors-file', cors, wantedCors, (rules) => rules);
  const { rule: wanted } = read('storage.lifecycle.json') as { rule: unknown[] };
  const rule = lifecycle?.rule ?? [];
  const more = await addRules(deploy, 'storage.lifecycle.json', '--lifecycle-file', rule, wanted, (rules) => ({
    rule: rules,
  }));
  return others + more > 0 ? `, beside ${others} CORS and ${more} lifecycle rules that were there` : '';
}

/**
 * Adds the rules that are missing. The command replaces all rules, so that the rules of the operator or another app are
 * written again with the missing ones. Answers the number of other rules.
 */
async function addRules(
  deploy: Deploy,
  file: string,
  option: string,
  present: readonly unknown[],
  wanted: readonly unknown[],
  write: (rules: readonly unknown[]) => unknown,
): Promise<number> {
  const isIn = (rules: readonly unknown[], rule: unknown) => rules.some((each) => isDeepStrictEqual(each, rule));
  const others = present.filter((rule) => !isIn(wanted, rule)).length;
  const missing = wanted.filter((rule) => !isIn(present, rule));
  if (missing.length === 0) return others;
  const update = (path: string) =>
    deploy.act(
      gcloud(
        'storage',
        'buckets',
        'update',
        `gs://${deploy.bucket}`,
        `${option}=${path}`,
        `--project=${deploy.project}`,
      ),
    );
  if (present.length === 0) {
    await update(file);
    return others;
  }
  const folder = mkdtempSync(join(tmpdir(), 'decks-bucket-'));
  try {
    const path = join(folder, file);
    writeFileSync(path, JSON.stringify(write([...present, ...missing]), null, 2));
    await update(path);
  } finally {
    rmSync(folder, { recursive: true });
  }
  return others;
}
