import { z } from 'zod';
import { normalizeText, textProblems } from '../values/human-text';

/**
 * The texts that people write and other people read: every name, title, description and message of an input is a
 * `humanText` or an `optionalText`.
 */

interface TextRules {
  /** The most UTF-16 code units, counted in NFC and without surrounding spaces. */
  max: number;
  /** The message, or the code, of a longer text. */
  tooLong?: string;
  /** Whether the text may have line breaks, as descriptions and messages may. */
  lines?: boolean;
}

interface NeededTextRules extends TextRules {
  /** The message, or the code, of a text that is empty or that nobody can see. */
  missing: string;
  /** The message, or the code, of a value that is not a text. */
  error?: string;
}

/** A text with at least one character that people can see. */
export const humanText = ({ missing, error, ...rules }: NeededTextRules) =>
  checked(z.string(error).overwrite(normalizeText).min(1, missing), { ...rules, missing });

/** A text that may be left out. An empty text is null, as if it was left out. */
export const optionalText = (rules: TextRules) =>
  checked(z.string().overwrite(normalizeText), rules)
    .nullish()
    .transform((text) => (text === '' ? null : text));

const checked = (text: z.ZodString, { max, tooLong, lines = false, missing }: TextRules & { missing?: string }) =>
  text.max(max, tooLong).check((context) => {
    for (const message of textProblems(context.value, { lines, ...(missing && { unseen: missing }) })) {
      context.issues.push({ code: 'custom', message, input: context.value, continue: true });
    }
  });
