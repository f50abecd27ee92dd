import type { Notice } from './notice-page';

/** The pages that answer errors differ in what the reader was doing. */
type Place = 'deck' | 'file' | 'marketplace' | 'report' | 'mail';

const everywhere: Record<string, Notice | undefined> = {
  'method-not-allowed': { heading: 'This page can only be read', text: 'Open its address in a browser.' },
  internal: {
    heading: 'Something went wrong',
    text: 'The error is on our side. Try again in a minute. If it happens again, send the operator of this service the number below.',
  },
};

const action = 'marketplace';
const marketplace: Record<string, Notice | undefined> = {
  'invalid-argument': {
    heading: 'This list does not exist',
    text: 'The address has a filter that the marketplace does not know. Start from the whole list, and choose the filters there.',
    action,
  },
  'not-found': {
    heading: 'Page not found',
    text: 'No listing has this address. The address may be mistyped.',
    action,
  },
  expired: { heading: 'This listing was removed', text: 'It is no longer in the marketplace.', action },
};

const revoked: Notice = {
  heading: 'This link was revoked',
  text: 'The owner of the presentation revoked it. Ask the owner for a new link.',
};

const noPreview: Notice = {
  heading: 'You can no longer see this version',
  text: 'You are no longer a collaborator of this presentation. Ask its owner to invite you again.',
};

const words: Record<Place, Record<string, Notice | undefined>> = {
  deck: {
    'not-found': {
      heading: 'This link does not open a presentation',
      text: 'The presentation was deleted, or the link is mistyped or incomplete. Ask the sender for the whole link.',
    },
    revoked,
    'permission-denied': noPreview,
    expired: {
      heading: 'This presentation has expired',
      text: 'It was shared for a limited time, or taken down. Ask the owner for more time.',
    },
  },
  file: {
    'not-found': {
      heading: 'Nothing is at this address',
      text: 'The link may be incomplete, or the presentation has no such file.',
    },
    revoked,
    'permission-denied': noPreview,
    expired: { heading: 'This is no longer available', text: 'It was removed, or shared for a limited time.' },
  },
  marketplace,
  report: {
    ...marketplace,
    'invalid-argument': {
      heading: 'The report was not sent',
      text: 'Go back to the listing, choose what is wrong with it, and write at most 2,000 characters.',
      action,
    },
    'payload-too-large': {
      heading: 'The report was not sent',
      text: 'It is too long. Go back to the listing, and write at most 2,000 characters.',
      action,
    },
    'rate-limited': {
      heading: 'Too many reports',
      text: 'Your network has sent too many reports. Try again in an hour.',
      action,
    },
  },
  mail: {
    'invalid-argument': { heading: 'This link is not valid', text: 'Open the link in the mail again.' },
    'not-found': {
      heading: 'This link is not valid',
      text: 'Copy the whole link from the mail. A mail program may have cut it.',
    },
    expired: { heading: 'This link has expired', text: 'It works for 24 hours. Use the link of a newer mail.' },
  },
};

/** The words for an error, for a person. An error without words for its place has those of the API. */
export const noticeOf = (
  place: Place,
  { code, message, nextAction }: { code: string; message: string; nextAction: string },
): Notice => words[place][code] ?? everywhere[code] ?? { heading: message.replace(/\.$/, ''), text: nextAction };
