import { useEffect, useState } from 'preact/hooks';
import { Failure, type Answer } from '../service';
import { toast } from '../ui/toast';
import { useAction } from '../use-action';
import { words } from '../words/en';

/** The service sends an address one code in this time. */
const COOLDOWN_SECONDS = 30;

export interface CodeRequest {
  isSent: boolean;
  /** Seconds until the next code may be requested; 0 when it may be. */
  wait: number;
  isBusy: boolean;
  failure: unknown;
  request: () => Promise<void>;
  /** The token of the last request: the service tries the code of that request. */
  requestToken: string | undefined;
  /** Back to the address. */
  restart: () => void;
}

/** Requests codes by mail, and counts the seconds until the next one. */
export function useCodeRequest(send: () => Promise<Answer<'cliRequestLoginOtp'>>): CodeRequest {
  const [isSent, setSent] = useState(false);
  const [requestToken, setRequestToken] = useState<string>();
  const [until, setUntil] = useState(0);
  const [now, setNow] = useState(Date.now());
  const wait = Math.max(0, Math.ceil((until - now) / 1000));
  const waitFor = (seconds: number) => {
    setNow(Date.now());
    setUntil(Date.now() + seconds * 1000);
  };
  useEffect(() => {
    if (wait === 0) return;
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, [wait === 0]);

  const { run, isBusy, failure, clear } = useAction(async () => {
    try {
      setRequestToken((await send()).requestToken);
    } catch (error) {
      const { retryInSeconds } = (error instanceof Failure ? (error.details ?? {}) : {}) as { retryInSeconds?: number };
      if (retryInSeconds) waitFor(retryInSeconds);
      throw error;
    }
    if (isSent) toast(words.account.sentAgain);
    setSent(true);
    waitFor(COOLDOWN_SECONDS);
  });
  const restart = () => {
    clear();
    setSent(false);
  };
  return { isSent, wait, isBusy, failure, requestToken, request: run, restart };
}
