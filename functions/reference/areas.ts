import type * as functions from '../src/index';

/** The names of the functions that answer requests. */
export type EndpointName = {
  [Name in keyof typeof functions]: (typeof functions)[Name] extends { definition: object } ? Name : never;
}[keyof typeof functions];

/** The table of contents of the API reference: each endpoint in one area, in the order in which a client calls them. */
export const areas: readonly { name: string; about: string; endpoints: readonly EndpointName[] }[] = [
  {
    name: 'Service',
    about: 'What a client must know before it calls the service: addresses, limits and plans.',
    endpoints: ['getServiceInfo', 'getClientAddress'],
  },
  {
    name: 'Account',
    about:
      'Sign up and log in with a code from an email. Both give an API key, or a dashboard session. See the account and ' +
      'how much of the plan is used.',
    endpoints: [
      'cliRequestSignupOtp',
      'cliCompleteSignup',
      'completeDashboardSignup',
      'cliRequestLoginOtp',
      'cliCompleteLogin',
      'getAccount',
      'updateProfile',
      'updateOrganization',
      'getOrganizationLogo',
      'getUsage',
    ],
  },
  {
    name: 'API keys',
    about: 'Check, list, create and revoke API keys. People use a dashboard session. Programs use keys.',
    endpoints: [
      'verifyApiKey',
      'listApiKeys',
      'createDashboardSession',
      'createApiKey',
      'revokeApiKey',
      'endDashboardSession',
    ],
  },
  {
    name: 'Uploads',
    about:
      'Push a deck in three steps. precheckAssets returns the missing files. The upload calls send them. ' +
      'commitPresentationVersion creates a version from them.',
    endpoints: [
      'precheckAssets',
      'uploadPresentationAsset',
      'uploadPresentationAssets',
      'createAssetUploads',
      'completeAssetUploads',
      'commitPresentationVersion',
    ],
  },
  {
    name: 'Presentations',
    about: 'Read, rename, restore, expire and delete decks and their versions.',
    endpoints: [
      'listMyPresentations',
      'getSharedPresentationInfo',
      'listPresentationVersions',
      'getPresentationVersion',
      'diffPresentationVersions',
      'downloadPresentationAsset',
      'restorePresentationVersion',
      'renamePresentation',
      'setPresentationExpiry',
      'deletePresentation',
    ],
  },
  {
    name: 'Sharing',
    about: 'Create, change, revoke and email the links of a deck.',
    endpoints: [
      'addPresentationToken',
      'setTokenVersionMode',
      'renameShareToken',
      'unsharePresentation',
      'previewShareEmail',
      'sharePresentationViaEmail',
      'listEmailSends',
    ],
  },
  {
    name: 'Collaborators',
    about: 'Let other users edit a deck.',
    endpoints: ['inviteCollaborator', 'listCollaborators', 'uninviteCollaborator', 'leavePresentation'],
  },
  {
    name: 'Viewer',
    about: 'The files of a shared deck, for everybody who has its link.',
    endpoints: ['getSharedPresentation', 'deckSite'],
  },
  {
    name: 'Marketplace',
    about: 'Publish decks, browse, star, remix and report listings.',
    endpoints: [
      'publishMarketplaceListing',
      'updateMarketplaceListing',
      'listMarketplaceListings',
      'getMarketplaceListing',
      'getMarketplaceListingContent',
      'listMarketplaceRemixes',
      'remixMarketplaceListing',
      'starMarketplaceListing',
      'unstarMarketplaceListing',
      'recordMarketplaceView',
      'recordMarketplaceRemix',
      'reportMarketplaceListing',
    ],
  },
  {
    name: 'Discovery',
    about: 'Documents by which other programs find and embed the listings. Firebase Hosting serves them.',
    endpoints: ['oembed', 'marketplaceFeed', 'sitemap'],
  },
  {
    name: 'Pages',
    about: 'HTML pages for people. Firebase Hosting serves them under its own addresses.',
    endpoints: ['sharePage', 'marketplacePage', 'listingPage', 'reportPage', 'mailPage'],
  },
];
