/** White or near-black text for a background, whichever has the higher WCAG contrast. `background` is `#rrggbb`. */
export function inkOn(background: string): '#ffffff' | '#111318' {
  return contrast(background, '#ffffff') >= contrast(background, '#111318') ? '#ffffff' : '#111318';
}

/** The contrast ratio of two colours (`#rrggbb`) by WCAG, 1 to 21. */
export function contrast(a: string, b: string): number {
  const [light, dark] = [luminance(a), luminance(b)].sort((x, y) => y - x) as [number, number];
  return (light + 0.05) / (dark + 0.05);
}

function luminance(colour: string): number {
  const [red, green, blue] = [1, 3, 5].map((start) => {
    const channel = parseInt(colour.slice(start, start + 2), 16) / 255;
    return channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
