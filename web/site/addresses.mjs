// The addresses and the operator that the pages name. `firebase deploy` names its project; then they are those of the
// deployed service, read from the same settings as the functions read theirs. Without a project they are those of `npm
// start`.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readSettings } from '../../deploy/read-settings.mjs';

/** The addresses of `npm start`. The local Hosting puts others in their place when the ports are others. */
const LOCAL = { baseUrl: 'http://127.0.0.1:5001/demo-decks/us-central1', siteUrl: 'http://127.0.0.1:5000' };

/** `root` is the folder of the project, `project` the id of the Firebase project. */
export function addressesOf(root, project) {
  if (!project) return { ...LOCAL, operator: {}, region: undefined };
  const settings = { ...read(join(root, 'functions/.env')), ...read(join(root, `functions/.env.${project}`)) };
  const region = settings.REGION || 'us-central1';
  const url = (name, otherwise) => (settings[name] || otherwise).replace(/\/+$/, '');
  return {
    baseUrl: url('BASE_URL', `https://${region}-${project}.cloudfunctions.net`),
    siteUrl: url('VIEWER_URL', `https://${project}.web.app`),
    operator: {
      name: settings.OPERATOR_NAME,
      address: settings.OPERATOR_ADDRESS,
      contact: settings.OPERATOR_CONTACT,
      country: settings.OPERATOR_COUNTRY,
    },
    region,
  };
}

const read = (file) => (existsSync(file) ? Object.fromEntries(readSettings(readFileSync(file, 'utf8'))) : {});
