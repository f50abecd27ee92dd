import type { Ref } from 'preact';
import { encode } from 'uqr';

/** Readers need an empty edge of four modules. */
const EDGE = 4;

interface QrPictureProps {
  text: string;
  /** What the picture is for, for screen readers. */
  label: string;
  picture?: Ref<SVGSVGElement>;
}

/** A text as a QR code, black on white in both colour schemes: many readers need that. */
export function QrPicture({ text, label, picture }: QrPictureProps) {
  const { data, size } = encode(text, { ecc: 'M', border: EDGE });
  // The dark modules are one path.
  const path = data.flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : ''))).join('');
  return (
    <svg
      class="qr"
      ref={picture}
      viewBox={`0 0 ${size} ${size}`}
      role="img"
      aria-label={label}
      shape-rendering="crispEdges"
    >
      <path fill="#fff" d={`M0 0h${size}v${size}H0z`} />
      <path fill="#000" d={path} />
    </svg>
  );
}
