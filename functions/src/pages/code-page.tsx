import { config } from '../config';
import { noticeStyle } from './notice-style';
import { sitePage } from './site-page';

export const codeChoices = ['stop', 'resume'] as const;

interface CodePage {
  token: string;
  /** Until when codes for unknown devices are stopped; null when they are not. */
  stoppedUntil: Date | null;
  /** What the request has just done. */
  notice: string | null;
}

/**
 * The page behind the link of a mail with a code. It shows no address. Each button sends all that it needs in its URL.
 */
export function codePage({ token, stoppedUntil, notice }: CodePage): string {
  const choice = stoppedUntil ? 'resume' : 'stop';
  return sitePage({
    title: 'Codes that you did not request',
    isFound: false,
    style: noticeStyle,
    main: (
      <main class="notice">
        <h1>Codes that you did not request</h1>
        {notice !== null && (
          <p class="said" role="status">
            {notice}
          </p>
        )}
        <p>
          Someone has entered your email address here, so a code was sent to you. Nobody can sign in without that code.
        </p>
        {stoppedUntil ? (
          <p>
            We are not sending codes for new devices until{' '}
            <time dateTime={stoppedUntil.toISOString()}>{shownTime(stoppedUntil)}</time> or until you sign in. A device
            that you have signed in on during the last 90 days still gets codes.
          </p>
        ) : (
          <p>
            You can stop codes for new devices for 24 hours, or until you sign in. A device that you have signed in on
            during the last 90 days still gets codes.
          </p>
        )}
        <form class="choices" method="post" action={`${config.viewerUrl()}/codes/${token}?choice=${choice}`}>
          <button class={stoppedUntil ? 'plain' : undefined}>
            {stoppedUntil ? 'Allow codes again' : 'Stop codes for 24 hours'}
          </button>
        </form>
      </main>
    ),
  });
}

/** Such as "25 November 2026, 14:05 UTC". */
const shownTime = (time: Date) =>
  `${new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' }).format(time).replace(' at ', ', ')} UTC`;
