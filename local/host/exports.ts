import type { IncomingMessage, ServerResponse } from 'node:http';
import { valueOf } from '../schedules/jobs';

/** A function as firebase-functions exports it: a handler with the description of its deployment. */
type CloudFunction = ((req: IncomingMessage, res: ServerResponse) => unknown) & { __endpoint: Record<string, unknown> };

/**
 * A function that the platform calls over HTTP: `https` for client requests, `schedule` for the scheduler's POSTs,
 * `task` for those of a task queue.
 */
export interface MountedFunction {
  name: string;
  trigger: 'https' | 'schedule' | 'task';
  handler: CloudFunction;
}

/**
 * Separates the exports that are called over HTTP from the others: other triggers, and values that are not functions.
 */
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

/** The region of the functions: all of them declare one, or none does. The default is that of the Firebase CLI. */
export function regionOf([first]: readonly MountedFunction[]): string {
  const [region] = (first?.handler.__endpoint['region'] ?? []) as string[];
  return region ?? 'us-central1';
}

/** The timeout of a function. The platform's default is 60 seconds. */
export function timeoutSecondsOf({ handler }: MountedFunction): number {
  return Number(valueOf(handler.__endpoint['timeoutSeconds']) ?? 60);
}

function triggerOf(value: unknown): MountedFunction['trigger'] | undefined {
  if (typeof value !== 'function' || !('__endpoint' in value)) return undefined;
  const endpoint = value.__endpoint as Record<string, unknown>;
  if ('httpsTrigger' in endpoint || 'callableTrigger' in endpoint) return 'https';
  if ('scheduleTrigger' in endpoint) return 'schedule';
  if ('taskQueueTrigger' in endpoint) return 'task';
  return undefined;
}
