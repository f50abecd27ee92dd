import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../../local/project';

/** The areas of the API reference in their order, by the folders of the endpoints. */
const areasOfFolders: Readonly<Record<string, { name: string; about: string }>> = {
  service: {
    name: 'Service',
    about: 'What a client must know before it calls the service: addresses, limits and plans.',
  },
  account: {
    name: 'Account',
    about:
      'Sign up and log in with a code from an email. Both give an API key, or a dashboard session. See the account and ' +
      'how much of the plan is used.',
  },
  keys: {
    name: 'API keys',
    about: 'Check, list, create and revoke API keys. People use a dashboard session. Programs use keys.',
  },
  uploads: {
    name: 'Uploads',
    about:
      'Push a deck in three steps. precheckAssets returns the missing files. The upload calls send them. ' +
      'commitPresentationVersion creates a version from them.',
  },
  presentations: {
    name: 'Presentations',
    about: 'Read, rename, restore, expire and delete decks and their versions.',
  },
  pictures: { name: 'Pictures', about: 'Send, list and read the pictures of the slides of a version.' },
  tokens: { name: 'Links', about: 'Create, change and revoke the links of a deck.' },
  live: { name: 'Live', about: 'Present a deck live: the decks of the audience follow the slides of the presenter.' },
  insights: {
    name: 'Insights',
    about: 'Who looked at a deck, at which slides and for how long; figures of decks; forget a reader.',
  },
  email: { name: 'Email', about: 'Send the links of a deck by email. The mails have a page for their recipients.' },
  collaborators: { name: 'Collaborators', about: 'Let other users edit a deck.' },
  viewer: { name: 'Viewer', about: 'The page and the files of a shared deck, for everybody who has its link.' },
  marketplace: {
    name: 'Marketplace',
    about:
      'Publish decks, browse, star, remix and report listings. Firebase Hosting serves the HTML pages, and the documents ' +
      'by which other programs find and embed the listings.',
  },
  events: { name: 'Events', about: 'What happened in an organization, as a feed.' },
  webhooks: { name: 'Webhooks', about: 'Send the events of an organization to addresses of your own.' },
  agents: {
    name: 'Agents',
    about: 'The Model Context Protocol over HTTP: the calls of the service as tools of an agent.',
  },
};

/** The names and folders of the endpoints, in the order of `functions/src/index.ts`. */
const exported = [
  ...readFileSync(join(projectRoot, 'functions/src/index.ts'), 'utf8').matchAll(
    /^export \{ (\w+) \} from '\.\/endpoints\/(\w+)\//gm,
  ),
];

/** The table of contents of the API reference: each endpoint is in the area of its folder. */
export const areas = Object.entries(areasOfFolders).map(([folder, area]) => ({
  ...area,
  endpoints: exported.flatMap(([, name, of]) => (of === folder ? name! : [])),
}));
