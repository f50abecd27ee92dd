import { useState } from 'preact/hooks';
import { words } from '../words/en';
import { Icon } from './icon';
import { toast } from './toast';

interface CopyButtonProps {
  /** What is copied. */
  text: string;
  /** What the button copies: “Copy the link”. A small button says it to screen readers and as its tooltip. */
  label?: string;
  /** What the toast says. */
  said?: string;
  /** Whether the button shows only its picture. */
  isSmall?: boolean;
  isPrimary?: boolean;
}

const SHOWN_MS = 2_000;

/** Copies a text. The button and a toast say that it has happened. */
export function CopyButton(props: CopyButtonProps) {
  const { text, label = words.shell.copy, said = words.shell.copied, isSmall = false, isPrimary = false } = props;
  const [isCopied, setCopied] = useState(false);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      return toast(words.shell.notCopied);
    }
    toast(said);
    setCopied(true);
    setTimeout(() => setCopied(false), SHOWN_MS);
  };
  return (
    <button
      type="button"
      class={isSmall ? 'button icon' : isPrimary ? 'button primary' : 'button'}
      aria-label={isSmall ? label : undefined}
      title={isSmall ? label : undefined}
      onClick={() => void copy()}
    >
      <Icon name={isCopied ? 'check' : 'copy'} />
      {!isSmall && label}
    </button>
  );
}
