// The command of `deck` that makes the call of an endpoint, for the endpoints that a person calls by a command.

const ID = '01936f4e-8f6b-7c3a-9d2e-5b1f0a7c4d21';
const SLUG = 'quarterly-results';

/** By the name of the endpoint. */
export const commandFor = {
  getServiceInfo: 'deck doctor',
  cliRequestSignupOtp: 'deck signup --email ada@example.com',
  cliCompleteSignup: 'deck signup --email ada@example.com --code 042137 --first-name Ada',
  cliRequestLoginOtp: 'deck login --email ada@example.com',
  cliCompleteLogin: 'deck login --email ada@example.com --code 042137',
  getUsage: 'deck usage',
  verifyApiKey: 'deck whoami',
  precheckAssets: 'deck push talk --dry-run',
  uploadPresentationAssets: 'deck push talk',
  commitPresentationVersion: "deck push talk --title 'Quarterly results' --message 'new numbers'",
  listMyPresentations: 'deck list',
  getPresentationVersion: `deck pull ${ID} copy-of-talk`,
  downloadPresentationAsset: `deck pull ${ID} copy-of-talk`,
  leavePresentation: `deck leave ${ID}`,
  publishMarketplaceListing: "deck publish talk --description 'Revenue, costs and the plan for spring.'",
  remixMarketplaceListing: `deck remix ${SLUG} my-talk`,
};
