import { signal } from '@preact/signals';

/** The address that the person has typed. Both pages have it, so that nobody types it twice. */
export const typedEmail = signal('');
