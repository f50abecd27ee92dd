'use strict';

/**
 * Preloaded into the local cloud. A message with a number of milliseconds moves `Date` forward; timers do not change.
 */
const RealDate = Date;
let ahead = 0;

globalThis.Date = class extends RealDate {
  constructor(...parts) {
    if (parts.length === 0) super(RealDate.now() + ahead);
    else super(...parts);
  }

  static now() {
    return RealDate.now() + ahead;
  }
};

process.on('message', (milliseconds) => {
  ahead += milliseconds;
  process.send('moved');
});
process.channel.unref();
