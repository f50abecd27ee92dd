/** Drawn for a square of 24, with lines of 1.75. */
const paths = {
  close: 'M6 6l12 12M18 6L6 18',
  copy: 'M9 9h11v11H9zM15 9V4H4v11h5',
  check: 'M5 12.5l4.5 4.5L19 7.5',
  more: 'M5 11.2a.8.8 0 1 0 0 1.6a.8.8 0 0 0 0-1.6zM12 11.2a.8.8 0 1 0 0 1.6a.8.8 0 0 0 0-1.6zM19 11.2a.8.8 0 1 0 0 1.6a.8.8 0 0 0 0-1.6z',
  plus: 'M12 5v14M5 12h14',
  link: 'M10 14a4 4 0 0 0 5.7 0l3-3a4 4 0 0 0-5.7-5.7l-1 1M14 10a4 4 0 0 0-5.7 0l-3 3a4 4 0 0 0 5.7 5.7l1-1',
  down: 'M6 9.5l6 6l6-6',
  open: 'M14 4h6v6M20 4l-9 9M18 14v6H4V6h6',
  upload: 'M12 16V4M7 9l5-5l5 5M4 16v4h16v-4',
  download: 'M12 4v12M7 11l5 5l5-5M4 16v4h16v-4',
  mail: 'M3 6h18v12H3zM3 7l9 6l9-6',
  play: 'M7 4.5v15l12-7.5z',
  layers: 'M12 4l9 5l-9 5l-9-5zM3 14l9 5l9-5',
  shop: 'M5 4h14l2 6H3zM5 10v10h14V10M10 20v-5h4v5',
} as const;

/** A picture beside words, or in a button that has a label. Screen readers skip it. */
export function Icon({ name }: { name: keyof typeof paths }) {
  return (
    <svg class="icon" viewBox="0 0 24 24" width="20" height="20" aria-hidden="true" focusable="false">
      <path d={paths[name]} />
    </svg>
  );
}
