/** The addresses that the build wrote into the page. */
function written(name: string): string {
  const found = document.querySelector<HTMLMetaElement>(`meta[name="deckhost:${name}"]`)?.content;
  if (!found) throw new Error(`The page does not name the address of the ${name}.`);
  return found;
}

/** The address of the functions, without a slash at its end. */
export const serviceUrl = written('service');
