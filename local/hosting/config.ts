import picomatch from 'picomatch';

/** The settings in the hosting part of firebase.json that the local hosting supports. */
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
/** Settings that only the deployment uses. */
const deploySettings = new Set(['$schema', 'site', 'target', 'predeploy', 'postdeploy']);

/** Throws for a setting that the cloud supports and the local hosting does not. The message names the setting. */
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

/**
 * Compiles a glob of firebase.json. The matcher takes a decoded path with its leading slash. As with Firebase's own
 * matcher, `/a/**` does not match `/a`, a slash at the end of the path is optional, and `!` at the start negates.
 */
export function globMatcher(source: string): (path: string) => boolean {
  if (source.startsWith('!')) {
    const matches = globMatcher(source.slice(1));
    return (path) => !matches(path);
  }
  const bare = source.replace(/^\/+/, '');
  if (bare === '') return (path) => path === '/';
  const matches = picomatch(bare, { dot: true, strictSlashes: true });
  return (path) => {
    const name = path.replace(/\/+/g, '/').replace(/^\//, '');
    // picomatch does not match the empty path.
    if (name === '') return bare === '**';
    return matches(name) || (name.endsWith('/') && matches(name.slice(0, -1)));
  };
}
