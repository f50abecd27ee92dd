import type { Request, Response } from 'express';

/** A function as firebase-functions exports it: an express handler that carries its deployment's description. */
type CloudFunction = ((req: Request, res: Response) => unknown) & { __endpoint: Record<string, unknown> };

/** What the platform would call over HTTP: `https` for everybody's requests, `schedule` for the scheduler's POSTs. */
export interface MountedFunction {
  name: string;
  trigger: 'https' | 'schedule';
  handler: CloudFunction;
}

/** The exports that HTTP can reach, and the names of those that it cannot (other triggers, and what is no function). */
export function sortExports(exports: Record<string, unknown>): { mounted: MountedFunction[]; ignored: string[] } {
  const mounted: MountedFunction[] = [];
  const ignored: string[] = [];
  for (const [name, value] of Object.entries(exports)) {
    const trigger = triggerOf(value);
    if (trigger) mounted.push({ name, trigger, handler: value as CloudFunction });
    else ignored.push(name);
  }
  return { mounted, ignored };
}

function triggerOf(value: unknown): MountedFunction['trigger'] | undefined {
  if (typeof value !== 'function' || !('__endpoint' in value)) return undefined;
  const endpoint = value.__endpoint as Record<string, unknown>;
  if ('httpsTrigger' in endpoint || 'callableTrigger' in endpoint) return 'https';
  if ('scheduleTrigger' in endpoint) return 'schedule';
  return undefined;
}
