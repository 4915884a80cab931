/** Requests of a victim's process, from an address of its own. */
import { Agent, get, type IncomingMessage } from "node:http";
import { once } from "node:events";
import { exchange } from "./exchange.js";

const TIMEOUT_MS = 10_000;

interface Sent {
  /** Text, or an object to send as JSON. */
  readonly body?: unknown;
  /** In addition to the key; an empty `authorization` omits it. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** @returns the data of a response. @throws Error with code and status of any but 200 */
export type Send = (<T = unknown>(
  method: string,
  path: string,
  sent?: Sent,
) => Promise<T & { readonly id: string }>) & {
  /** The cookie that a response sets. */
  readonly cookie: (method: string, path: string, sent?: Sent) => Promise<string>;
  /** Passes on the events of a stream as long as it lasts. @throws Error when it does not begin */
  readonly follow: (path: string, onEvent: (text: string) => void) => Promise<void>;
};

/** @param url where the system is */
export function createSender(url: string, { key, address }: { key: string; address: string }): Send {
  const client = { agent: new Agent({ keepAlive: true }), localAddress: address };
  const authorization = `Bearer ${key}`;
  const read = async (method: string, path: string, { body, headers = {} }: Sent = {}) => {
    const given = Object.entries({ authorization, ...headers }).filter(([, value]) => value !== "");
    const sent = { url: url + path, method, ...client, headers: Object.fromEntries(given), timeoutMs: TIMEOUT_MS };
    const response = await exchange(sent, body);
    const { status, code, text } = response;
    if (status !== 200) throw new Error(status === 0 ? text : `${code}: ${status}`);
    return response;
  };
  const send = async (method: string, path: string, sent?: Sent): Promise<unknown> => {
    const { text } = await read(method, path, sent);
    return text.startsWith("{") ? (JSON.parse(text) as { data?: unknown }).data : null;
  };
  const cookie = async (method: string, path: string, sent?: Sent): Promise<string> =>
    (await read(method, path, sent)).cookie;
  const follow: Send["follow"] = async (path, onEvent) => {
    const request = get(url + path, { ...client, headers: { authorization, accept: "text/event-stream" } });
    const [response] = (await once(request, "response")) as [IncomingMessage];
    if (response.statusCode !== 200) throw new Error(`the stream: ${response.statusCode ?? 0}`);
    let rest = "";
    response.setEncoding("utf8").on("data", (text: string) => {
      const events = (rest + text).split("\n\n");
      rest = events.pop() ?? "";
      for (const event of events) onEvent(event);
    });
    // A stream that ends is missed by what waits for it.
    for (const stream of [request, response]) stream.on("error", () => undefined);
  };
  return Object.assign(send, { cookie, follow }) as Send;
}
