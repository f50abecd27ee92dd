// The look and the words that the pages share with those of the functions, for Eleventy and Vite.
import house from '../../functions/src/house/house.cjs';

export const {
  name,
  mark,
  colours,
  links,
  houseCss,
  frameCss,
  commandsCss,
  cardCss,
  markSvg,
  faviconSvg,
  headerHtml,
  footerHtml,
} = house;
