import { signal } from '@preact/signals';
import { waiting } from '../retry';
import { silentCalls, waitReason } from '../service';
import { words } from '../words/en';

const isOnline = signal(navigator.onLine);
addEventListener('online', () => (isOnline.value = true));
addEventListener('offline', () => (isOnline.value = false));

/**
 * Says that the connection is lost, or that the service is silent. The client of the service tries again meanwhile, and
 * the person can begin anew what a silent service does not answer.
 */
export function ConnectionNotice() {
  const text = textNow();
  const isSilent = text === words.shell.silent;
  return (
    <div role="status" class="connection" hidden={!text}>
      {text}
      {isSilent && waiting.value.length > 0 && (
        <button type="button" class="button small" onClick={() => waiting.peek().forEach((again) => again())}>
          {words.shell.retry}
        </button>
      )}
    </div>
  );
}

function textNow(): string {
  if (!isOnline.value) return words.shell.offline;
  if (waitReason.value) return words.shell.waiting;
  return silentCalls.value > 0 ? words.shell.silent : '';
}
