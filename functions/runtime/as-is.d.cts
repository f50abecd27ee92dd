import type { Plugin } from 'esbuild';

export const runtimeAsIs: Plugin;
