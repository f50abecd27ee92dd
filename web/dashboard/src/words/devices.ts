/** The browsers and programs in which the person is signed in. */
export const devices = {
  title: 'Devices',
  about: 'You are signed in on these devices. A browser stays signed in for 30 days after you last used it.',
  device: 'Device',
  place: 'Country',
  unknownPlace: 'Not known',
  lastUsed: 'Last used',
  signedIn: 'Signed in',
  current: 'This browser',
  actions: 'Actions',
  signOut: 'Sign out',
  signOutOf: (device: string) => `Sign out ${device}`,
  wasSignedOut: (device: string) => `${device} is signed out.`,
  more: 'Show more',
  everywhere: 'Sign out everywhere',
  everywhereTitle: 'Sign out on all devices?',
  everywhereText:
    'You are signed out here, too. The next sign-in on each device counts as one on a new device. API keys stay ' +
    'valid: revoke them on their page.',
};
