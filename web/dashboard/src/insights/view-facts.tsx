import { formatDuration } from '../format';
import { words } from '../words/en';

interface ReaderProps {
  view: { email: string | null; tokenName: string };
}

/** The address of the reader, or else the link through which the reader came. */
export function Reader({ view: { email, tokenName } }: ReaderProps) {
  if (email === null) return <>{words.insights.reader(tokenName)}</>;
  return (
    <bdi class="reader" translate={false}>
      {email}
    </bdi>
  );
}

interface Reach {
  seconds: number;
  maxSlide: number;
  slideCount: number | null;
  hasScript: boolean;
}

/** `4 min`, `up to slide 9 of 12`: what is known about how long and how far somebody read. */
export function factsOf({ seconds, maxSlide, slideCount, hasScript }: Reach): string[] {
  if (!hasScript) return [words.insights.noScript];
  const { readToEnd, upTo, upToSlide } = words.insights;
  const time = formatDuration(seconds);
  // A deck of one slide is a page: everybody is at its end.
  if (maxSlide === 0 || slideCount === 1) return [time];
  if (slideCount === null) return [time, upToSlide(maxSlide)];
  return [time, maxSlide >= slideCount ? readToEnd : upTo(maxSlide, slideCount)];
}
