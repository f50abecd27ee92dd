import { words } from '../words/en';

interface SentToProps {
  email: string;
  /** Seconds until the next code may be requested. */
  wait: number;
  isBusy: boolean;
  onAgain: () => void;
  onOther: () => void;
}

/** Where the code went, and what to do when it does not come. */
export function SentTo({ email, wait, isBusy, onAgain, onOther }: SentToProps) {
  const { another, sendAgain, sendAgainIn } = words.account;
  return (
    <div class="sent-to small">
      <button type="button" class="button link" aria-disabled={wait > 0 || isBusy} onClick={onAgain}>
        {wait > 0 ? sendAgainIn(wait) : sendAgain}
      </button>
      <button type="button" class="button link" onClick={onOther} aria-label={`${another}: ${email}`}>
        {another}
      </button>
    </div>
  );
}
