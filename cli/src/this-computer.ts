/** Whether the address is one of this computer, which no network reaches. */
export function isThisComputer({ hostname }: URL): boolean {
  return /^(localhost|.*\.localhost|127\.[\d.]+|\[::1\])$/.test(hostname);
}

/** Whether others on the network can read, and change, what is sent to the address. */
export function isOpenToOthers(url: URL): boolean {
  return url.protocol !== 'https:' && !isThisComputer(url);
}
