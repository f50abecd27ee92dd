// The tools of `deck mcp` as one file. functions/build.mjs makes it of cli/src/mcp/http.ts, and only an instance of the
// function `mcp` loads it. It is not a part of the sources of the functions: it calls them over HTTP, by their
// contract.
const { join } = require('node:path');

module.exports = require(join(__dirname, '../lib/agents.js'));
