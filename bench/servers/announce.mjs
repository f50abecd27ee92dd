/** Tells the process that started this one where the server listens. */
export function announce(server) {
  server.once('listening', () => process.stdout.write(`${JSON.stringify({ port: server.address().port })}\n`));
}
