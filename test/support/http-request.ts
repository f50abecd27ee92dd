import { once } from 'node:events';
import { request, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';

export interface HttpAnswer {
  status: number;
  headers: IncomingHttpHeaders;
  body: Buffer;
  /** The body as text. */
  text: string;
}

/** A request with exactly these headers, `Host` and `Sec-Fetch-…` too, which `fetch` writes itself. */
export async function sendRequest(
  url: string,
  headers: Record<string, string> = {},
  method = 'GET',
): Promise<HttpAnswer> {
  const [response] = (await once(request(url, { method, headers, agent: false }).end(), 'response')) as [
    IncomingMessage,
  ];
  const body = await buffer(response);
  return { status: response.statusCode!, headers: response.headers, body, text: body.toString() };
}

/** The headers with which a browser opens a link. */
export const navigation = { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document', 'sec-fetch-site': 'none' };
