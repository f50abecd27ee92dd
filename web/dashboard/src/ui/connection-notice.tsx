import { signal } from '@preact/signals';
import { waitReason } from '../service';
import { words } from '../words/en';

const isOnline = signal(navigator.onLine);
addEventListener('online', () => (isOnline.value = true));
addEventListener('offline', () => (isOnline.value = false));

/** Says that the connection is lost. The client of the service tries again meanwhile. */
export function ConnectionNotice() {
  const text = !isOnline.value ? words.shell.offline : waitReason.value ? words.shell.waiting : '';
  return (
    <div role="status" class="connection" hidden={!text}>
      {text}
    </div>
  );
}
