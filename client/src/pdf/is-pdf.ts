/** Whether a file is a PDF by its name. */
export const isPdf = (name: string) => /\.pdf$/i.test(name);
