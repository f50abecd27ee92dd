/** Says a text in the line of the page that screen readers read out. */
export const say = (text: string): void => {
  document.getElementById('status')!.textContent = text;
};
