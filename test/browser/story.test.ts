import { describeInBrowser } from './browser';
import { Story } from './story';
import { publishAndRevise } from './story-deck';
import { listAndDelete } from './story-marketplace';
import { mailAndRevoke } from './story-sharing';

describeInBrowser('the story of a deck on origins of its own', () => {
  const story = new Story();
  publishAndRevise(story);
  mailAndRevoke(story);
  listAndDelete(story);
});
