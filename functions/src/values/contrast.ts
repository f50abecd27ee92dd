/** Text on a coloured ground: black or white, whichever is easier to read by WCAG's contrast. `ground` is `#rrggbb`. */
export function inkOn(ground: string): '#ffffff' | '#111318' {
  return contrast(ground, '#ffffff') >= contrast(ground, '#111318') ? '#ffffff' : '#111318';
}

/** WCAG's contrast ratio of two colours, 1 to 21. */
export function contrast(a: string, b: string): number {
  const [light, dark] = [luminance(a), luminance(b)].sort((x, y) => y - x) as [number, number];
  return (light + 0.05) / (dark + 0.05);
}

function luminance(colour: string): number {
  const [red, green, blue] = [1, 3, 5].map((start) => {
    const part = parseInt(colour.slice(start, start + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
