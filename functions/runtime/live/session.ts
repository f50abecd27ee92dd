/** Where the presenter is, as the streams tell it. */
export interface LiveSlide {
  key: string;
  title: string | null;
  index: number;
  count: number | null;
  step: number | null;
  steps: number | null;
  hash: string | null;
}

export interface State {
  liveId: string;
  /** Grows with each move. */
  sequence: number;
  /** Null before the first move. */
  slide: LiveSlide | null;
}

/** What presenters hear of a session. */
export interface Counts {
  followers: number;
  /** Pages of presenters that show the deck. */
  presenters: number;
  startedAt: string;
}

/** Whether both are the same place in the deck. */
export const isSame = (a: LiveSlide, b: LiveSlide): boolean =>
  a.key === b.key && a.index === b.index && (a.step ?? 0) === (b.step ?? 0);
