/** Opens a link in the user's browser. Returns whether a browser was started. */
export async function openInBrowser(link: string): Promise<boolean> {
  // The link comes from a service. The system's opener would run other things than web addresses, too.
  if (!/^https?:\/\//.test(link)) return false;
  const { default: open } = await import('open');
  try {
    await open(link);
    return true;
  } catch {
    return false;
  }
}
