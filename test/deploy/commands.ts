import type { Project } from './project';
import type { Options } from './refused';

/** What a command answers as JSON. */
export type Play = (project: Project, option: Options, words: string[], root: string) => unknown;

/** The options of each command, and what it does to the project. */
export type Commands = Record<string, [options: string, play: Play]>;
