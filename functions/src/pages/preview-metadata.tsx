/** The picture that other programs show beside a link. */
export interface PreviewPicture {
  /** Its absolute address. */
  url: string;
  /** What it shows, for people who do not see it. */
  alt: string;
  /** In pixels. A program that knows the size shows the picture large before it has read it. */
  pixels?: { width: number; height: number } | undefined;
}

/** The elements in the head of a page for the preview of its address. */
export const PreviewMetadata = ({ picture }: { picture: PreviewPicture | undefined }) => (
  <>
    <meta name="twitter:card" content={picture ? 'summary_large_image' : 'summary'} />
    {picture && (
      <>
        <meta property="og:image" content={picture.url} />
        <meta property="og:image:alt" content={picture.alt} />
        <meta name="twitter:image:alt" content={picture.alt} />
      </>
    )}
    {picture?.pixels && (
      <>
        <meta property="og:image:width" content={String(picture.pixels.width)} />
        <meta property="og:image:height" content={String(picture.pixels.height)} />
      </>
    )}
  </>
);
