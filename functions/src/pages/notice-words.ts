import type { Notice } from './notice-page';

/** The pages that answer errors differ in what the reader was doing. */
type Place = 'deck' | 'file' | 'marketplace' | 'report' | 'mail' | 'ask';

const everywhere: Record<string, Notice | undefined> = {
  'method-not-allowed': { heading: 'This page cannot be used this way', text: 'Open its address in a browser.' },
  internal: {
    heading: 'Something went wrong',
    text: 'The problem is on our side. Please try again in a minute. If it keeps happening, send the number below to the operator of this service.',
  },
};

const action = 'marketplace';
const marketplace: Record<string, Notice | undefined> = {
  'invalid-argument': {
    heading: 'This list does not exist',
    text: 'The address contains a filter that the marketplace does not have. Start from the full list and choose your filters there.',
    action,
  },
  'not-found': {
    heading: 'Page not found',
    text: 'There is no listing at this address. Check it for typing mistakes.',
    action,
  },
  expired: { heading: 'This listing was removed', text: 'It is no longer available in the marketplace.', action },
};

const revoked: Notice = {
  heading: 'This link was revoked',
  text: 'The owner of the presentation has closed this link. Ask them for a new one.',
};

const words: Record<Place, Record<string, Notice | undefined>> = {
  deck: {
    'not-found': {
      heading: 'This link does not open a presentation',
      text: 'The presentation may have been deleted, or part of the link may be missing. Ask the person who sent it for the full link.',
    },
    revoked,
    expired: {
      heading: 'This presentation has expired',
      text: 'It was shared for a limited time or a limited number of openings, or it has been taken down. Ask the owner to share it again.',
    },
    'rate-limited': {
      heading: 'Too many attempts',
      text: 'Many attempts have come from your network. Please go back and try again in a minute. After many wrong passcodes or codes it takes an hour.',
    },
  },
  file: {
    'not-found': {
      heading: 'Nothing is at this address',
      text: 'Part of the link may be missing, or the presentation does not have this file.',
    },
    revoked,
    expired: {
      heading: 'This is no longer available',
      text: 'It has been removed, or it was shared for a limited time.',
    },
  },
  marketplace,
  report: {
    ...marketplace,
    'invalid-argument': {
      heading: 'Your report was not sent',
      text: 'Go back to the listing, choose a reason, and keep the details to 2,000 characters.',
      action,
    },
    'payload-too-large': {
      heading: 'Your report was not sent',
      text: 'It is too long. Go back to the listing and keep the details to 2,000 characters.',
      action,
    },
    'rate-limited': {
      heading: 'Too many reports',
      text: 'Too many reports have come from your network. Please try again in an hour.',
      action,
    },
  },
  ask: {
    'not-found': {
      heading: 'Nothing is at this address',
      text: 'Part of it may be missing. Go back to the page that you wanted to see.',
    },
    'rate-limited': {
      heading: 'Too many requests',
      text: 'Too many requests have come from your network. Please try again in an hour.',
    },
  },
  mail: {
    'invalid-argument': { heading: 'This link is not valid', text: 'Please open the link in the email again.' },
    'not-found': {
      heading: 'This link is not valid',
      text: 'Your mail program may have cut it short. Copy the full link from the email.',
    },
    // The addresses between two changes are not kept for the account; the first one is.
    conflict: {
      heading: 'The change could not be taken back',
      text: 'Another account has this address now. If the address of your account was changed before, use the link in the email about the first change: it went to the address that the account had before it. Otherwise write to the operator of this service.',
    },
    expired: {
      heading: 'This link has expired',
      text: 'It worked for 24 hours, or for 7 days after a change of address. Use the link in a more recent email.',
    },
  },
};

/** The words for an error, for a person. An error without words for its place has those of the API. */
export const noticeOf = (
  place: Place,
  { code, message, nextAction }: { code: string; message: string; nextAction: string },
): Notice => words[place][code] ?? everywhere[code] ?? { heading: message.replace(/\.$/, ''), text: nextAction };
