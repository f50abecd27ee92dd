import { z } from 'zod';
import { serviceSecret, serviceSecrets } from '../../config';
import { liveSequence, liveSlide, liveTicket, sentSlide } from '../../contract/live-fields';
import { countStreams, readLive } from '../../decks/live-streams';
import { fail } from '../../errors';
import { endpoint } from '../../http/endpoint';
import { isRunning, judgeCommand, judgeMove, liveCommands } from '../../policy/live';
import { readIn } from '../../records/database';
import { commandLive, liveSessionRef, moveLive } from '../../records/live-sessions';
import { transact } from '../../records/transact';
import { readLiveTicket } from '../../values/live-tickets';

export const Input = z
  .object({
    ticket: liveTicket('The ticket of the presenter, from the `presenterUrl` of startLiveSession.'),
    sequence: z
      .int()
      .positive()
      .meta({
        description:
          'Of a slide: the number of the move, above that of the last one. Of a command: a number of your choice, by ' +
          'which a repeated call is known.',
        example: 1,
      }),
    slide: sentSlide.optional().meta({ description: 'Where the presenter is now.' }),
    command: z.enum(liveCommands).optional().meta({
      description: 'In place of the slide: what a remote control asks the page of the presenter to do.',
      example: 'next',
    }),
  })
  .refine(({ slide, command }) => (slide === undefined) !== (command === undefined), {
    path: ['slide'],
    error: 'Send either slide or command.',
  })
  .meta({
    oneOf: [{ required: ['slide'] }, { required: ['command'] }],
    example: { ticket: 'eyJ…', sequence: 1, slide: { key: 'agenda', title: 'Agenda', index: 1, count: 24 } },
  });

export const Answer = z.object({
  taken: z.boolean().meta({
    description: 'Whether the move was taken. False for one that is late, and for one that comes too soon.',
    example: true,
  }),
  retryAfterMs: z.int().nullable().meta({
    description: 'When to send the newest slide again, in milliseconds. Null unless the move came too soon.',
    example: null,
  }),
  sequence: liveSequence,
  slide: liveSlide,
});

export const moveLiveSession = endpoint({
  name: 'moveLiveSession',
  about:
    'Moves the decks of all who follow a live session to a slide. Only the ticket of the presenter moves them. The first ' +
    'move is taken at once, then one a second: send the last one again after `retryAfterMs`. A slide whose number is not ' +
    'above the last is late, and never takes the audience back.',
  method: 'POST',
  caller: 'anyone',
  input: Input,
  answer: Answer,
  errors: ['permission-denied', 'expired', 'conflict'],
  runtime: { class: 'hot', secrets: [serviceSecret] },
  cost: { roundTrips: 3, reads: 4, writes: 2 },

  async handle({ input: { ticket: text, sequence, slide, command }, now }) {
    const ticket = readLiveTicket(serviceSecrets.accepted(), 'presenter', text, now);
    if (!ticket) return failTicket();
    const session = (await readLive(ticket, now)) ?? failEnded();
    if (command && (await countStreams(session, now)).presenters === 0) failAlone();
    return transact(async (tx) => {
      const [current] = await readIn(tx, liveSessionRef(ticket.presentationId));
      // It may have ended since.
      if (!isRunning(current, now) || current.liveId !== ticket.liveId) return failEnded();
      const judged = command ? judgeCommand(current.command, sequence, now) : judgeMove(current.move, sequence, now);
      const taken = judged.verdict === 'taken';
      const { key = '', title = null, index = 0, count = null, step = null, steps = null, hash = null } = slide ?? {};
      const move =
        taken && slide ? { sequence, at: now, slide: { key, title, index, count, step, steps, hash } } : current.move;
      if (taken && command) commandLive(tx, current, { sent: sequence, at: now, name: command });
      else if (taken && move) moveLive(tx, current, move);
      return {
        taken,
        retryAfterMs: judged.verdict === 'too-soon' ? judged.retryAfterMs : null,
        sequence: move?.sequence ?? 0,
        slide: move?.slide ?? null,
      };
    });
  },
});

const failTicket = (): never =>
  fail('permission-denied', undefined, {
    message: 'This ticket moves nothing.',
    nextAction: 'Send the ticket of the presenterUrl that startLiveSession returned.',
  });

const failEnded = (): never =>
  fail('expired', undefined, { message: 'The live session has ended.', nextAction: 'Start it with startLiveSession.' });

const failAlone = (): never =>
  fail('conflict', undefined, {
    message: 'No page of a presenter is open.',
    nextAction: 'Open the page of the presenter, then try again.',
  });
