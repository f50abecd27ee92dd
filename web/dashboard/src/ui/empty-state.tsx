import type { ComponentChildren } from 'preact';

interface EmptyStateProps {
  title?: string;
  /** What to do first. */
  text: ComponentChildren;
  /** The button or link that does it. */
  children?: ComponentChildren;
}

/** Stands where rows would stand, and says what to do first. */
export function EmptyState({ title, text, children }: EmptyStateProps) {
  return (
    <div class="empty">
      {title && <h2>{title}</h2>}
      <p>{text}</p>
      {children && <div class="actions">{children}</div>}
    </div>
  );
}
