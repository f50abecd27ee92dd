import { all } from './by-class';
import { nameOf } from './names';
import type { Adapter } from './slide';

/** The classes of Spectacle are hashes. Its address has the slide, and each slide has its own display. */
export const spectacle: Adapter = () => {
  const address = new URLSearchParams(location.search);
  const index = address.get('slideIndex');
  const slides = all('[style*="100vw"] > div > [style*="display:"]');
  if (!index || slides.length === 0) return undefined;
  const steps = all('[data-step-count]', slides[+index]).map((part) => +part.getAttribute('data-step-count')!);
  return {
    slides: slides.map((slide) => nameOf(slide)),
    index: +index,
    step: Number(address.get('stepIndex')),
    steps: steps.reduce((sum, each) => sum + each, 0),
  };
};
