import picomatch from 'picomatch';

/** The hosting part of firebase.json, as far as it is served locally. */
export interface HostingConfig {
  public: string;
  ignore?: string[];
  cleanUrls?: boolean;
  trailingSlash?: boolean;
  redirects?: { source: string; destination: string; type?: number }[];
  rewrites?: { source: string; destination?: string; function?: string | { functionId: string; region?: string } }[];
  headers?: { source: string; headers: { key: string; value: string }[] }[];
}

const servedSettings = new Set(['public', 'ignore', 'cleanUrls', 'trailingSlash', 'redirects', 'rewrites', 'headers']);
/** Only the deployment looks at these. */
const deploySettings = new Set(['$schema', 'site', 'target', 'predeploy', 'postdeploy']);

/** Throws, naming it, for a setting that the cloud would follow and the local hosting would not. */
export function assertServable(config: HostingConfig): void {
  for (const key of Object.keys(config)) {
    if (!servedSettings.has(key) && !deploySettings.has(key))
      throw new Error(`firebase.json: hosting.${key} is not served locally.`);
  }
  for (const { source, destination } of config.redirects ?? []) {
    if (!source || /[:$]\w/.test(new URL(destination, 'http://localhost').pathname)) {
      throw new Error(
        `firebase.json: the redirect to ${destination} is not served locally: only globs without captures are.`,
      );
    }
  }
  for (const rewrite of config.rewrites ?? []) {
    if (!rewrite.source || (!rewrite.destination && !rewrite.function)) {
      throw new Error(`firebase.json: the rewrite ${JSON.stringify(rewrite)} is neither to a function nor to a path.`);
    }
  }
}

/** Whether a decoded path, with its leading slash, is meant by a glob of firebase.json. */
export function globMatcher(source: string): (path: string) => boolean {
  const bare = source.replace(/^\//, '');
  if (bare === '') return (path) => path === '/';
  const matches = picomatch(bare, { dot: true });
  // The matcher has no notion of the root, which only the globs for everything mean.
  return (path) => (path === '/' ? bare === '**' || bare === '*' : matches(path.replace(/^\/+/, '')));
}
