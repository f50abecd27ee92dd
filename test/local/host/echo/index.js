'use strict';
const { onRequest } = require('../../../../functions/node_modules/firebase-functions/lib/v2/providers/https');

/** Tells everything about a request that the platform could have changed. */
const echo = onRequest((req, res) => {
  const { method, url, path, query, body, ip, ips, hostname, protocol, params, rawBody } = req;
  const raw = rawBody && rawBody.toString('base64');
  res.status(201).send(JSON.stringify({ method, url, path, query, body, ip, ips, hostname, protocol, params, raw }));
});

module.exports = { echo };
