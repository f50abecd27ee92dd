/** The kinds of files that people have of their slides, and what to do with each. */
const KINDS = [
  {
    names: /\.(ppt|pps|pot)[xm]?$/i,
    problem: 'is a file of PowerPoint, which browsers do not show.',
    nextAction: 'Export it as PDF (File, Export, PDF), and choose the PDF.',
  },
  {
    names: /\.key$/i,
    problem: 'is a file of Keynote, which browsers do not show.',
    nextAction: 'Export it as PDF (File, Export To, PDF), or as HTML, and choose what was exported.',
  },
  {
    names: /\.(odp|fodp|otp)$/i,
    problem: 'is a file of LibreOffice, which browsers do not show.',
    nextAction: 'Export it as PDF (File, Export As, PDF), and choose the PDF.',
  },
  {
    names: /\.(docx?|odt|rtf|pages|xlsx?|ods)$/i,
    problem: 'is a document, which browsers do not show.',
    nextAction: 'Export it as PDF, and choose the PDF.',
  },
  {
    names: /\.(heic|heif|tiff?|bmp|psd)$/i,
    problem: 'is a picture that browsers do not show.',
    nextAction: 'Export it as JPEG or PNG, and choose that file.',
  },
] as const;

/** What to do with a file that cannot be pushed, by its name. Undefined for a file of another kind. */
export const adviceFor = (name: string) => KINDS.find(({ names }) => names.test(name));
