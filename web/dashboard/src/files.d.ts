/** Vite puts imported styles into files that the page links. */
declare module '*.css';

/** Vite builds the worker into a file of its own. The import is its address on this site. */
declare module '*?worker&url' {
  const address: string;
  export default address;
}

interface ImportMeta {
  /** `DEV` is true under `npm run dev`. */
  readonly env: {
    readonly DEV: boolean;
    /** The address of the folder of pdf.js on the site. It ends with a slash. */
    readonly PDF_FOLDER: string;
  };
}
