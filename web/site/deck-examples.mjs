// The command of `deck` that makes the call of an endpoint, for the endpoints that a person calls by a command.

const ID = '01936f4e-8f6b-7c3a-9d2e-5b1f0a7c4d21';
const KEY_ID = '01936f4e-7a31-7e04-9b6d-84c2f05a1e3d';
const LINK = 'Zk3v9QpXw2LmT7bRc1HsNg';
const SLUG = 'quarterly-results';

/** By the name of the endpoint. */
export const commandFor = {
  getServiceInfo: 'deck doctor',
  cliRequestSignupOtp: 'deck signup --email ada@example.com',
  cliCompleteSignup: 'deck signup --email ada@example.com --code 042137 --first-name Ada',
  cliRequestLoginOtp: 'deck login --email ada@example.com',
  cliCompleteLogin: 'deck login --email ada@example.com --code 042137',
  getAccount: 'deck account',
  getUsage: 'deck usage',
  verifyApiKey: 'deck whoami',
  listApiKeys: 'deck keys list',
  createApiKey: 'deck keys create --name Publishing --scope marketplace:publish --email ada@example.com --code 042137',
  revokeApiKey: `deck keys revoke ${KEY_ID} --email ada@example.com --code 042137`,
  precheckAssets: 'deck push talk --dry-run',
  uploadPresentationAssets: 'deck push talk',
  commitPresentationVersion: "deck push talk --title 'Quarterly results' --message 'new numbers'",
  listMyPresentations: 'deck list',
  getSharedPresentationInfo: `deck info ${ID}`,
  listPresentationVersions: `deck versions ${ID}`,
  getPresentationVersion: `deck pull ${ID} copy-of-talk`,
  downloadPresentationAsset: `deck pull ${ID} copy-of-talk`,
  diffPresentationVersions: `deck diff 1 2 --deck ${ID}`,
  restorePresentationVersion: `deck restore 2 --deck ${ID}`,
  renamePresentation: `deck rename 'Sales, Q3' --deck ${ID}`,
  setPresentationExpiry: `deck expire 2031-01-01 --deck ${ID}`,
  deletePresentation: `deck delete ${ID} --yes`,
  addPresentationToken: `deck links add 'Board meeting' --deck ${ID}`,
  setTokenVersionMode: `deck links follow ${LINK} --deck ${ID}`,
  renameShareToken: `deck links rename ${LINK} 'Board meeting' --deck ${ID}`,
  unsharePresentation: `deck links revoke ${LINK} --deck ${ID}`,
  sharePresentationViaEmail: `deck email grace@example.com alan@example.com --deck ${ID}`,
  listEmailSends: `deck email --log --deck ${ID}`,
  inviteCollaborator: `deck collaborators invite grace@example.com --deck ${ID}`,
  listCollaborators: `deck collaborators ${ID}`,
  uninviteCollaborator: `deck collaborators remove grace@example.com --deck ${ID}`,
  leavePresentation: `deck leave ${ID}`,
  publishMarketplaceListing: "deck publish talk --description 'Revenue, costs and the plan for spring.'",
  listMarketplaceListings: 'deck search revenue --kind presentation',
  getMarketplaceListing: `deck listing ${SLUG}`,
  listMarketplaceRemixes: `deck remixes ${SLUG}`,
  starMarketplaceListing: `deck star ${SLUG}`,
  unstarMarketplaceListing: `deck unstar ${SLUG}`,
  reportMarketplaceListing: `deck report ${SLUG} --reason copyright`,
  remixMarketplaceListing: `deck remix ${SLUG} my-talk`,
};
