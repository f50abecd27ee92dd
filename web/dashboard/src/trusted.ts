/** The part of the Trusted Types that the page uses. TypeScript's library does not declare it yet. */
interface TrustedTypes {
  createPolicy(
    name: string,
    rules: { createScriptURL(address: string): string },
  ): {
    createScriptURL(address: string): string;
  };
}

const { trustedTypes } = globalThis as { trustedTypes?: TrustedTypes };
const policy = trustedTypes?.createPolicy('deckhost-workers', { createScriptURL: ownAsset });

/** The address of a worker's script, for `new Worker`. Throws for a script that the build has not made. */
export const workerAddress = (address: string): string =>
  policy ? policy.createScriptURL(address) : ownAsset(address);

function ownAsset(address: string): string {
  const { origin, pathname } = new URL(address, location.href);
  const isOwn = origin === location.origin && (import.meta.env.DEV || pathname.startsWith('/assets/'));
  if (!isOwn) throw new TypeError(`${address} is not a script of this site.`);
  return address;
}
