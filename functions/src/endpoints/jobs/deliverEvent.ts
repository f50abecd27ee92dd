import { serviceSecret } from '../../config';
import { task } from '../../schedules/task';
import { makeTry } from '../../webhooks/deliver';

/** Sends an event to a webhook. Each try is a task. */
export const deliverEvent = task('deliverEvent', makeTry, [serviceSecret]);
