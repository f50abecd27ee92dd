// A model of Cloud Run: services whose instances start, serve, idle and end, under a quota of CPU in use. What it takes
// from Google's documentation: a request that finds no room waits up to 60 s and is then answered 429 (About maximum
// instances); an idle instance is kept up to 15 minutes (About instance autoscaling); an instance starts only while the
// sum of the CPU in use stays within the quota. An instance runs JavaScript on one thread, so its calls take turns.

const SECOND = 1000;
const QUEUE_PATIENCE_MS = 60 * SECOND;
const IDLE_MS = 15 * 60 * SECOND;
/** An instance that is this busy gets help from another one: about the 60 % of the documentation. */
const MOST_BACKLOG_MS = 100;

/** US dollars of us-central1, billing by request: see docs/performance.md. */
const PRICE = { vcpuSecond: 0.000024, gibSecond: 0.0000025, request: 0.4e-6 };

/** Events in the order of their times. */
class Clock {
  #events = [];
  now = 0;

  at(time, action) {
    const events = this.#events;
    let i = events.push({ time, action }) - 1;
    for (let parent; i > 0 && events[(parent = (i - 1) >> 1)].time > time; i = parent) {
      [events[i], events[parent]] = [events[parent], events[i]];
    }
  }

  run() {
    for (let next; (next = this.#first());) {
      this.now = next.time;
      next.action();
    }
  }

  #first() {
    const events = this.#events;
    const first = events[0];
    const last = events.pop();
    if (events.length === 0) return first;
    events[0] = last;
    for (let i = 0; ;) {
      const [left, right] = [2 * i + 1, 2 * i + 2];
      let least = i;
      if (events[left]?.time < events[least].time) least = left;
      if (events[right]?.time < events[least].time) least = right;
      if (least === i) return first;
      [events[i], events[least]] = [events[least], events[i]];
      i = least;
    }
  }
}

/**
 * A region with its quota in vCPU. `sizes` has, for each service, `cpu`, `memoryGiB`, `concurrency`, `maxInstances` and
 * `startMs`: the processor time from the start of an instance to its first answer. No instance is there at the
 * beginning.
 */
export class Region {
  #clock = new Clock();
  #services = new Map();
  #quota;
  #inUse = 0;
  #mostInUse = 0;
  #money = 0;
  /** What became of the requests: milliseconds, or undefined for a refusal. */
  #outcomes = [];
  #firstRefusal;

  constructor(quota, sizes) {
    this.#quota = quota;
    for (const [name, size] of Object.entries(sizes)) {
      this.#services.set(name, { ...size, instances: new Set(), waiting: [], starting: 0 });
    }
  }

  /** Calls `action` at a time in milliseconds. */
  at(time, action) {
    this.#clock.at(time, action);
  }

  get now() {
    return this.#clock.now;
  }

  /**
   * A call with its processor time, and the time in which it waits for others, both in ms. `onEnd(isServed)` follows.
   */
  send(name, { cpuMs, waitMs }, onEnd = () => {}) {
    const service = this.#services.get(name);
    const request = { sentAt: this.now, cpuMs, waitMs, onEnd, name };
    const instance = this.#roomIn(service);
    if (instance) return this.#serve(service, instance, request);
    service.waiting.push(request);
    this.#startFor(service);
    this.at(this.now + QUEUE_PATIENCE_MS, () => {
      const i = service.waiting.indexOf(request);
      if (i < 0) return;
      service.waiting.splice(i, 1);
      this.#end(request, undefined);
    });
  }

  /** Runs until nothing happens any more. */
  run() {
    this.#clock.run();
    const served = this.#outcomes.filter((ms) => ms !== undefined).sort((a, b) => a - b);
    const quantile = (share) => served[Math.min(served.length - 1, Math.floor(share * served.length))] ?? NaN;
    return {
      requests: this.#outcomes.length,
      refused: this.#outcomes.length - served.length,
      p50: quantile(0.5),
      p99: quantile(0.99),
      vcpu: this.#mostInUse,
      dollars: this.#money + this.#outcomes.length * PRICE.request,
      firstRefusal: this.#firstRefusal,
    };
  }

  /**
   * The ready instance with the fewest requests that has room. An instance that is behind is no room while another can
   * start.
   */
  #roomIn(service) {
    let best;
    for (const each of service.instances) {
      const hasRoom = each.isReady && each.requests < service.concurrency;
      if (hasRoom && (!best || each.freeAt < best.freeAt)) best = each;
    }
    if (best && best.freeAt - this.now > MOST_BACKLOG_MS) this.#startFor(service);
    return best;
  }

  #startFor(service) {
    const { instances, maxInstances, concurrency, starting, waiting, cpu } = service;
    const isEnough = starting > 0 && starting * concurrency >= waiting.length;
    if (isEnough || instances.size >= maxInstances || this.#inUse + cpu > this.#quota + 1e-9) return;
    this.#open(service);
  }

  #open(service) {
    const startMs = service.startMs / service.cpu;
    const instance = { requests: 0, freeAt: this.now, isReady: false, busySince: undefined, lastUse: this.now };
    service.instances.add(instance);
    service.starting++;
    this.#inUse += service.cpu;
    this.#mostInUse = Math.max(this.#mostInUse, this.#inUse);
    this.at(this.now + startMs, () => {
      service.starting--;
      instance.isReady = true;
      instance.freeAt = this.now;
      this.#pay(service, startMs);
      this.#serveWaiting(service, instance);
      this.#endLater(service, instance);
    });
  }

  #serveWaiting(service, instance) {
    while (service.waiting.length > 0 && instance.requests < service.concurrency) {
      this.#serve(service, instance, service.waiting.shift());
    }
    if (service.waiting.length > 0) this.#startFor(service);
  }

  #serve(service, instance, request) {
    const begun = Math.max(this.now, instance.freeAt);
    instance.freeAt = begun + request.cpuMs / service.cpu;
    if (instance.requests++ === 0) instance.busySince = this.now;
    this.at(instance.freeAt + request.waitMs, () => {
      if (--instance.requests === 0) this.#pay(service, this.now - instance.busySince);
      instance.lastUse = this.now;
      this.#end(request, this.now - request.sentAt);
      this.#serveWaiting(service, instance);
      if (instance.requests === 0) this.#endLater(service, instance);
    });
  }

  #endLater(service, instance) {
    const { lastUse } = instance;
    this.at(this.now + IDLE_MS, () => {
      if (instance.requests > 0 || instance.lastUse !== lastUse || !service.instances.delete(instance)) return;
      this.#inUse -= service.cpu;
      for (const other of this.#services.values()) if (other.waiting.length > 0) this.#startFor(other);
    });
  }

  #pay({ cpu, memoryGiB }, ms) {
    this.#money += (ms / SECOND) * (cpu * PRICE.vcpuSecond + memoryGiB * PRICE.gibSecond);
  }

  #end(request, ms) {
    this.#outcomes.push(ms);
    if (ms === undefined) this.#firstRefusal ??= `${request.name} after ${Math.round(this.now / SECOND)} s`;
    request.onEnd(ms !== undefined);
  }
}
