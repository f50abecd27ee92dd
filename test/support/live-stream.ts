interface LiveEvent {
  event: string;
  id?: string;
  data: Record<string, unknown>;
}

/** A stream of a live session. `next` waits for the next event of a name, and `rest` for the end. */
export async function followAt(baseUrl: string, ticket: string, lastEventId?: string) {
  const headers = { accept: 'text/event-stream', ...(lastEventId && { 'last-event-id': lastEventId }) };
  const abort = new AbortController();
  const url = `${baseUrl}/followLiveSession?ticket=${ticket}`;
  const response = await fetch(url, { headers, signal: abort.signal });
  const events = response.status === 200 ? eventsOf(response) : undefined;
  return {
    response,
    leave: () => abort.abort(),
    async next(name: string): Promise<LiveEvent> {
      for (;;) {
        const { value, done } = await events!.next();
        if (done) throw new Error(`The stream ended without the event ${name}.`);
        if (value.event === name) return value;
      }
    },
    async rest(): Promise<LiveEvent[]> {
      const all: LiveEvent[] = [];
      for await (const event of events!) all.push(event);
      return all;
    },
  };
}

async function* eventsOf(response: Response): AsyncGenerator<LiveEvent, undefined> {
  let text = '';
  for await (const piece of response.body!.pipeThrough(new TextDecoderStream())) {
    text += piece;
    const blocks = text.split('\n\n');
    text = blocks.pop()!;
    for (const block of blocks) {
      const fields = Object.fromEntries(block.split('\n').map((line) => line.split(/: (.*)/s).slice(0, 2)));
      if (!fields['event']) continue;
      const { event, id, data } = fields as { event: string; id?: string; data: string };
      yield { event, ...(id && { id }), data: JSON.parse(data) as LiveEvent['data'] };
    }
  }
  return undefined;
}
