import { isFailure } from '../../../client/src/failure';
import { count } from '../../../client/src/format';
import type { FinishedPush } from '../../../client/src/push/push-files';
import { uploadSlidePictures } from '../../../client/src/push/slide-pictures';
import type { PushedFile } from '../../../client/src/pushed-file';
import type { DeckService } from '../../../client/src/service/service';
import type { SlideIllustrator } from '../drawing/illustrator';
import type { Terminal } from '../terminal';

/**
 * Sends the pictures of the slides of a new version, and tells how many. The deck is pushed: what fails here is a
 * warning. Undefined when nothing was drawn.
 */
export async function sendSlides(
  service: DeckService,
  { status, presentationId, version }: FinishedPush<PushedFile>,
  illustrator: SlideIllustrator,
  terminal: Terminal,
): Promise<number | undefined> {
  if (status !== 'pushed') return undefined;
  const slides = await illustrator.slides();
  const problem = await illustrator.problem();
  if (problem !== undefined) terminal.warn(problem, 'no-picture');
  if (slides.length === 0) return undefined;
  try {
    await uploadSlidePictures(service, { presentationId, version }, slides);
  } catch (error) {
    if (!isFailure(error)) throw error;
    terminal.warn(`The pictures of the slides were not stored: ${error.message}`, 'no-picture');
    return undefined;
  }
  terminal.say(`  Drew ${count(slides.length, 'slide')}`);
  return slides.length;
}
