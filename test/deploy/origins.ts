import type { deploying, Place } from './place';

export const ORIGIN = 'https://*.decks.example.com';
/** The options that make deck origins, and that delete everything that was made for them. */
export const MAKE = { deckOrigin: ORIGIN, from: 'balancer' } as const;
export const END = { deckOrigin: false, deleteRemoved: true, from: 'balancer' } as const;

/** What happens outside of the deploy: the DNS records exist, and Google issued the certificate. */
export function addRecords({ standIn: { network } }: Place): void {
  network.hasRecords = true;
  network.certificateState = { state: 'ACTIVE' };
}

/** Projects before deploys that make deck origins, and that delete them. */
export function originStories({ aDeployedProject }: ReturnType<typeof deploying>) {
  return {
    'deck origins': {
      start: () => aDeployedProject({}, addRecords),
      options: MAKE,
    },
    'the end of deck origins': {
      start: async () => {
        const place = await aDeployedProject({ deckOrigin: ORIGIN }, addRecords);
        place.standIn.network.hasRecords = false;
        return place;
      },
      options: END,
    },
  };
}
