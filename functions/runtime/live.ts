/** The module of live sessions: the runtime loads it when there is one. */
import { attempt } from './attempt';
import { follow } from './live/follow';
import { present } from './live/present';
import type { Stream } from './live/stream';
import { PRESENTER } from './join';
import { send } from './messages';

const PRESENT = '#present=';
/** The page around a frame keeps what the frame cannot. */
const isFramed = self.origin === 'null';

let stream: Stream | undefined;
let isPresenting = false;
/** A ticket of the audience, for when this page does not present any more. */
let follower: string | undefined;

/** Takes part in a session, with a ticket of the audience, the hash of an address for whoever presents, or both. */
export default function join(tickets: string): void {
  for (const ticket of tickets.split(' ')) attempt(() => joinWith(ticket));
}

function joinWith(text: string): void {
  if (text.startsWith(PRESENT)) return startToPresent(text.slice(PRESENT.length));
  follower = text;
  if (isPresenting) return;
  if (stream) return stream.renew(text);
  stream = follow(text, tellNext, () => {
    stream = undefined;
    tellNext('');
  });
}

function startToPresent(ticket: string): void {
  if (isPresenting) return;
  isPresenting = true;
  present(ticket, () => {
    isPresenting = false;
    attempt(() => sessionStorage.removeItem(PRESENTER));
    tellNext('');
    if (follower) join(follower);
  });
}

/** Tells the page around a frame what its next page joins with. */
function tellNext(live: string): void {
  if (isFramed) send(parent, { live });
}
