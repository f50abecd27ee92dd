const LOCAL = ['127.0.0.1', 'localhost'];

/**
 * Variables for Google's clients, which otherwise send requests to this machine through the proxy of the environment.
 * Some of them read one spelling, some the other.
 */
export function proxyExceptions(): { no_proxy: string; NO_PROXY: string } {
  const { no_proxy: lower, NO_PROXY: upper } = process.env;
  const withLocal = (hosts = '') => [...new Set([...hosts.split(',').filter(Boolean), ...LOCAL])].join(',');
  return { no_proxy: withLocal(lower || upper), NO_PROXY: withLocal(upper || lower) };
}
