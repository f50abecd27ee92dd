interface SkeletonProps {
  /** What is loaded, for screen readers. */
  label: string;
  /** The number of lines that are drawn. */
  lines: number;
}

/** Keeps the place of texts and rows that are loaded. */
export const Skeleton = ({ label, lines }: SkeletonProps) => (
  <div class="skeleton-lines" role="status" aria-label={label}>
    {Array.from({ length: lines }, (_, i) => (
      <div key={i} class="skeleton" />
    ))}
  </div>
);
