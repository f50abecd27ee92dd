import type { Plugin } from 'esbuild';

export const runtimeAsText: (...names: (keyof typeof import('./bundle.cjs'))[]) => Plugin;
