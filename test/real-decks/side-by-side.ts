import { mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Pictures } from './pictures';
import { eventually, type Stage } from './stage';

const pictureFolder = resolve(__dirname, '../../.build/real-deck-pictures');
/** A picture with fewer colours shows an empty page. */
const LEAST_COLOURS = 3;

/** A deck in two windows: from the service, and from a static server. */
export class SideBySide {
  readonly both: readonly Stage[];

  constructor(
    private readonly name: string,
    readonly shown: Stage,
    readonly wanted: Stage,
    private readonly pictures: Pictures,
  ) {
    this.both = [shown, wanted];
  }

  async ready(): Promise<void> {
    await Promise.all(this.both.map((stage) => stage.ready()));
  }

  async press(key: string): Promise<void> {
    await Promise.all(this.both.map((stage) => stage.press(key)));
  }

  /** Waits until the addresses of both end with this text: a deck may write its slide into the address later. */
  async arrivesAt(end: string): Promise<void> {
    await Promise.all(this.both.map((stage) => stage.arrivesAt(end)));
  }

  async reload(): Promise<void> {
    await Promise.all(this.both.map((stage) => stage.reload()));
    await this.ready();
  }

  /**
   * Waits until both windows show the same picture, which is not blank and differs from `before`. The last pictures are
   * kept in `.build/real-deck-pictures`. Returns the picture.
   */
  async same(step: string, before?: Buffer): Promise<Buffer> {
    let taken: Buffer[] = [];
    let seen = '';
    const isSame = async () => {
      taken = await Promise.all(this.both.map((stage) => stage.picture()));
      const [shown, wanted] = taken as [Buffer, Buffer];
      const { difference, colours } = await this.pictures.compare(wanted, shown);
      const isAsBefore = before !== undefined && (await this.pictures.areSame(wanted, before));
      seen = `${difference} of the pixels differ, ${colours} colours${isAsBefore ? ', as before' : ''}`;
      return colours >= LEAST_COLOURS && !isAsBefore && (await this.pictures.areSame(shown, wanted));
    };
    const troubles = () => JSON.stringify(this.both.map((stage) => stage.troubles()));
    try {
      await eventually(isSame, () => `The ${step} picture of ${this.name}: ${seen}. ${troubles()}`);
    } finally {
      await mkdir(pictureFolder, { recursive: true });
      const file = join(pictureFolder, `${this.name}-${step}`);
      await Promise.all(taken.map((png, i) => writeFile(`${file}${i === 0 ? '' : '-static'}.png`, png)));
    }
    return taken[1]!;
  }
}
