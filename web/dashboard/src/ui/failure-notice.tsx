import { Failure } from '../service';
import { words } from '../words/en';
import { problemText, type Words } from '../words/failures';

interface FailureNoticeProps {
  /** What a call rejected with. Nothing is shown without it. */
  failure: unknown;
  onRetry?: (() => void) | undefined;
}

/** What went wrong, what the person can do, and the request id for a report. It is read out when it appears. */
export function FailureNotice({ failure, onRetry }: FailureNoticeProps) {
  if (!failure) return <div role="alert" hidden />;
  const { message, next, requestId, problems } = wordsOf(failure);
  return (
    <div role="alert" class="notice bad">
      <p>
        <strong>{message}</strong> {next}
      </p>
      {problems.length > 0 && (
        <ul>
          {problems.map((problem) => (
            <li key={problem}>{problem}</li>
          ))}
        </ul>
      )}
      {requestId && (
        <p class="quiet small">
          {words.shell.requestId}: <code translate={false}>{requestId}</code>
        </p>
      )}
      {onRetry && (
        <button type="button" class="button small" onClick={onRetry}>
          {words.shell.retry}
        </button>
      )}
    </div>
  );
}

/** The texts for a failure: those of the page, or else those of the service. */
export function wordsOf(failure: unknown): {
  message: string;
  next: string;
  requestId?: string | undefined;
  problems: string[];
} {
  const known = failure instanceof Failure ? failure : undefined;
  const found = words.failures[(known?.code ?? 'unexpected-answer') as keyof typeof words.failures];
  const details = (known?.details ?? {}) as Record<string, unknown>;
  const said = (text: Words | undefined) => (typeof text === 'function' ? text(details) : text);
  if (!known) console.error(failure);
  return {
    message: said(found?.message) ?? known?.message ?? String(failure),
    next: said(found?.next) ?? known?.nextAction ?? '',
    // Only a fault of the service is worth a report.
    requestId: known?.status !== undefined && known.status < 500 ? undefined : known?.requestId,
    problems: problemsOf(details),
  };
}

/** The messages about single fields of the input. */
function problemsOf({ errors }: Record<string, unknown>): string[] {
  if (!Array.isArray(errors)) return [];
  return [...new Set((errors as { message?: unknown }[]).map(({ message }) => message))]
    .filter((message) => typeof message === 'string')
    .slice(0, 5)
    .map(problemText);
}
