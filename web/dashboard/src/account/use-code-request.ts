import { useEffect, useRef, useState } from 'preact/hooks';
import { Failure, type Answer } from '../service';
import { toast } from '../ui/toast';
import { useAction } from '../use-action';
import { words } from '../words/en';
import { typedEmail } from './typed-email';

/** The service sends an address one code in this time. */
const COOLDOWN_SECONDS = 30;

type Sent = Answer<'cliRequestLoginOtp'>;

export interface CodeRequest {
  isSent: boolean;
  /** The address that the code went to, or else the typed one: the person may type on while a code is sent. */
  email: string;
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
export function useCodeRequest(send: (email: string, signal: AbortSignal) => Promise<Sent>): CodeRequest {
  const [sent, setSent] = useState<Sent & { email: string }>();
  const running = useRef<AbortController | undefined>(undefined);
  const email = sent?.email ?? typedEmail.value.trim();
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
    const { signal } = (running.current = new AbortController());
    let answer;
    try {
      answer = await send(email, signal);
    } catch (error) {
      if (signal.aborted) return;
      const { retryInSeconds } = (error instanceof Failure ? (error.details ?? {}) : {}) as { retryInSeconds?: number };
      if (retryInSeconds) waitFor(retryInSeconds);
      throw error;
    }
    if (signal.aborted) return;
    if (sent) toast(words.account.sentAgain);
    setSent({ ...answer, email });
    waitFor(COOLDOWN_SECONDS);
  });
  const restart = () => {
    running.current?.abort();
    clear();
    setSent(undefined);
  };
  const isSent = sent !== undefined;
  return { isSent, email, wait, isBusy, failure, requestToken: sent?.requestToken, request: run, restart };
}
