import { describeInBrowser } from './browser';
import { Story } from './story';
import { publishAndRevise } from './story-deck';
import { mailAndRevoke } from './story-sharing';

describeInBrowser('the story of a deck in the frame of the share page', () => {
  const story = new Story({ deckOrigin: false });
  publishAndRevise(story);
  mailAndRevoke(story);
});
