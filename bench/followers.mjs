// Followers of server-sent events on raw sockets: one process holds thousands, and reads only what it needs.
import { Buffer } from 'node:buffer';
import { connect } from 'node:net';
import { clearTimeout, setTimeout } from 'node:timers';

/** A socket hands over what it has read before another one reads, so all share the buffer. */
const buffer = Buffer.allocUnsafe(64 * 1024);

/** One stream. `onMove` gets the number of each state, and `onEnd` the milliseconds that the server asks to wait. */
class Follower {
  sequence = -1;
  #text = '';
  #retryMs;
  #socket;

  constructor({ onMove, onEnd }) {
    Object.assign(this, { onMove, onEnd });
  }

  /** Opens the stream. Resolves with the first state. */
  open(port, path) {
    return new Promise((resolve, reject) => {
      const onread = { buffer, callback: (length) => this.#read(buffer.latin1Slice(0, length), resolve) };
      this.#socket = connect({ host: '127.0.0.1', port, noDelay: true, onread });
      this.#socket.write(`GET ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\naccept: text/event-stream\r\n\r\n`, 'latin1');
      this.#socket.on('error', reject);
      this.#socket.on('close', () => {
        reject(new Error(`The stream ended: ${this.#text}`));
        this.onEnd(this, this.#retryMs);
      });
      this.#text = '';
    });
  }

  close() {
    this.onEnd = () => {};
    this.#socket.destroy();
  }

  /** Each write of a server is a chunk of HTTP, whose frames stand between events. Returns true: it goes on reading. */
  #read(bytes, onFirst) {
    const blocks = (this.#text + bytes).split('\n\n');
    this.#text = blocks.pop();
    for (const block of blocks) {
      this.#retryMs = Number(/retry: (\d+)/.exec(block)?.[1] ?? this.#retryMs);
      if (!block.includes('event: state')) continue;
      this.sequence = Number(/"sequence":(\d+)/.exec(block)[1]);
      onFirst();
      this.onMove(this.sequence);
    }
    return true;
  }
}

/** The followers of one session or of one bare server. */
export class Audience {
  #followers = [];
  /** When each follower got the awaited move. */
  #arrivals = [];
  #awaited;

  /** Opens `count` streams, `width` at once, and spreads them over the ports. Returns how long each took. */
  async open(count, ports, path, width = 50) {
    const times = [];
    let left = count;
    const worker = async () => {
      while (left-- > 0) times.push(await this.add(ports[left % ports.length], path));
    };
    await Promise.all(Array.from({ length: Math.min(width, count) }, worker));
    return times;
  }

  /** Opens a stream. Resolves with the milliseconds until its first state. */
  async add(port, path) {
    const follower = new Follower({ onMove: (sequence) => this.#arrive(sequence), onEnd: () => this.#lose() });
    const begunAt = performance.now();
    await follower.open(port, path);
    this.#followers.push({ follower, port });
    return performance.now() - begunAt;
  }

  get size() {
    return this.#followers.length;
  }

  /**
   * Runs `move`, which moves all to `sequence`. Returns the milliseconds until each follower knew it. Rejects when a
   * stream ends before that, and after 10 seconds.
   */
  async follow(sequence, move) {
    this.#arrivals = [];
    const arrived = new Promise((resolve, reject) => (this.#awaited = { sequence, resolve, reject }));
    const timer = setTimeout(() => this.#lose(), 10_000);
    const begunAt = performance.now();
    await Promise.all([arrived, move()]);
    clearTimeout(timer);
    this.#awaited = undefined;
    return this.#arrivals.map((at) => at - begunAt);
  }

  /**
   * Runs `stop`, which ends all streams of `port`. Each follower comes back to `otherPort` when the server has asked.
   * Returns for each the milliseconds from the stop until it followed again, and those that it was asked to wait.
   */
  async comeBack(port, otherPort, path, stop) {
    const leaving = this.#followers.filter((held) => held.port === port);
    const begunAt = performance.now();
    const back = leaving.map(
      (held) =>
        new Promise((resolve, reject) => {
          held.follower.onEnd = (follower, waitMs) => {
            follower.onEnd = () => this.#lose();
            const endedAfterMs = performance.now() - begunAt;
            const reopen = async () => {
              await follower.open(otherPort, path);
              held.port = otherPort;
              return { endedAfterMs, waitMs, backAfterMs: performance.now() - begunAt };
            };
            setTimeout(() => reopen().then(resolve, reject), waitMs);
          };
        }),
    );
    const [rows] = await Promise.all([Promise.all(back), stop()]);
    return rows;
  }

  close() {
    for (const { follower } of this.#followers) follower.close();
  }

  #arrive(sequence) {
    if (sequence !== this.#awaited?.sequence) return;
    this.#arrivals.push(performance.now());
    if (this.#arrivals.length === this.size) this.#awaited.resolve();
  }

  #lose() {
    this.#awaited?.reject(new Error(`${this.#arrivals.length} of ${this.size} followers got a move.`));
  }
}
