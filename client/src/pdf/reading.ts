/** What of a PDF is in the entry page of its deck. */
export interface PdfReading {
  /** The title in the metadata. Undefined when there is none, or when a program has only numbered it. */
  title: string | undefined;
  /** The language of the text as in `<html lang>`. */
  language: string | undefined;
  /** At least one. */
  pages: PdfPage[];
  /** The bookmarks that lead to a page, in their order. */
  bookmarks: Bookmark[];
  /** Which files of pdf.js draw this PDF beyond those that draw every PDF, such as `cmaps/UniGB-UTF16-H.bcmap`. */
  parts: string[];
}

export interface PdfPage {
  /** In points, as it is shown: a page that is turned has them turned. */
  width: number;
  height: number;
  /** Its bookmark, or else its largest line of text. Empty for a page without text. */
  title: string;
  /** All text of the page. */
  text: string;
  links: PdfLink[];
}

/** An area of a page that leads somewhere. The numbers are per cent of the page, from its upper left corner. */
export interface PdfLink {
  href: string;
  /** The text below it. Empty when there is none. */
  text: string;
  left: number;
  top: number;
  width: number;
  height: number;
}

export interface Bookmark {
  title: string;
  /** From 1. */
  page: number;
  /** 0 at the top. */
  depth: number;
}
