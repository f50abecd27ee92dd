import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { readSettings } from './read-settings.mjs';

/** The folder with firebase.json, at or above `folder`: in the source and in a bundle. */
export function findRoot(folder: string): string {
  return existsSync(join(folder, 'firebase.json')) ? folder : findRoot(dirname(folder));
}

/**
 * The settings of the functions: functions/.env holds those of all projects, functions/.env.<project> those of one,
 * which win. firebase-tools reads both. The deploy writes the second file only, so that one checkout can be deployed to
 * a test project and to a real one.
 */
export class Settings {
  readonly #file: string;
  #lines: string[];
  readonly #common: ReadonlyMap<string, string>;

  constructor(root: string, project: string) {
    this.#file = join(root, 'functions', `.env.${project}`);
    this.#lines = linesOf(this.#file);
    this.#common = parse(linesOf(join(root, 'functions', '.env')));
  }

  /** A setting as firebase-tools reads it. */
  static line(name: string, value: string): string {
    return `${name}=${written(value)}`;
  }

  /** The names of all settings. */
  names(): string[] {
    return [...new Set([...this.#common.keys(), ...parse(this.#lines).keys()])];
  }

  get(name: string): string | undefined {
    return (parse(this.#lines).get(name) ?? this.#common.get(name)) || undefined;
  }

  /**
   * Writes a setting and keeps the lines of other names. Of several lines with the name the last one counts: it is
   * replaced, and the others are deleted. Throws for a value of several lines.
   */
  set(name: string, value: string): void {
    this.#read();
    if (this.get(name) === value) return;
    if (/[\r\n]/.test(value)) throw new Error(`${name} has more than one line.`);
    const line = Settings.line(name, value);
    const last = this.#lines.findLastIndex((each) => hasName(each, name));
    this.#write(
      last < 0
        ? [...this.#lines, line]
        : this.#lines.flatMap((each, i) => (i === last ? [line] : hasName(each, name) ? [] : [each])),
    );
  }

  /** Deletes the lines of a setting from the file of the project. */
  delete(name: string): void {
    this.#read();
    if (this.#lines.some((each) => hasName(each, name)))
      this.#write(this.#lines.filter((each) => !hasName(each, name)));
  }

  /** The operator may have changed the file since the last look: a deploy takes minutes. */
  #read(): void {
    this.#lines = linesOf(this.#file);
  }

  #write(lines: string[]): void {
    this.#lines = lines;
    writeFileSync(`${this.#file}.draft`, `${lines.join('\n')}\n`, { mode: 0o600 });
    renameSync(`${this.#file}.draft`, this.#file);
  }
}

const parse = (lines: readonly string[]) => readSettings(lines.join('\n'));

const hasName = (line: string, name: string) => /^\s*(?:export\s+)?([A-Z_][A-Z0-9_]*)\s*=/.exec(line)?.[1] === name;

function linesOf(file: string): string[] {
  try {
    return readFileSync(file, 'utf8').replace(/\n$/, '').split(/\r?\n/);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    return [];
  }
}

function written(value: string): string {
  if (/^[\w@.:/+-]+$/.test(value)) return value;
  return `"${value.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
}
