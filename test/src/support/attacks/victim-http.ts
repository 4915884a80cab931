/** Requests of a victim's process, from an address of its own. */
import { Agent, type IncomingMessage, request as httpRequest } from "node:http";

const TIMEOUT_MS = 10_000;

interface Sent {
  /** Text, or an object to send as JSON. */
  readonly body?: unknown;
  /** In addition to the key; an empty `authorization` omits it. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** @returns the data of a response. @throws Error with the status of any but 200 */
export type Send = (<T = unknown>(
  method: string,
  path: string,
  sent?: Sent,
) => Promise<T & { readonly id: string }>) & {
  /** The cookie that a response sets. */
  readonly cookie: (method: string, path: string, sent?: Sent) => Promise<string>;
  readonly open: (method: string, path: string, sent?: Sent) => Promise<IncomingMessage>;
};

/** @param url where the system is */
export function createSender(url: string, { key, address }: { key: string; address: string }): Send {
  const agent = new Agent({ keepAlive: true });
  const open = (method: string, path: string, { body, headers = {} }: Sent = {}): Promise<IncomingMessage> => {
    const bytes = body === undefined ? null : Buffer.from(typeof body === "string" ? body : JSON.stringify(body));
    const describing = bytes === null ? {} : { "content-type": "application/json", "content-length": bytes.length };
    const all = { authorization: `Bearer ${key}`, ...describing, ...headers };
    const sent = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== ""));
    return new Promise((resolve, reject) => {
      const request = httpRequest(url + path, { method, agent, headers: sent, localAddress: address }, resolve);
      const late = setTimeout(() => {
        request.destroy(new Error(`no response within ${TIMEOUT_MS / 1_000} s`));
      }, TIMEOUT_MS);
      request.once("response", () => {
        clearTimeout(late);
      });
      request.on("error", (error) => {
        clearTimeout(late);
        reject(error);
      });
      request.end(bytes ?? undefined);
    });
  };
  const read = async (method: string, path: string, sent?: Sent) => {
    const response = await open(method, path, sent);
    const text = await textOf(response);
    if (response.statusCode !== 200) throw new Error(`${codeIn(text)}: ${response.statusCode ?? 0}`);
    return { text, headers: response.headers };
  };
  const send = async (method: string, path: string, sent?: Sent): Promise<unknown> => {
    const { text, headers } = await read(method, path, sent);
    const isJson = headers["content-type"]?.startsWith("application/json") === true;
    return isJson ? (JSON.parse(text) as { data?: unknown }).data : null;
  };
  const cookie = async (method: string, path: string, sent?: Sent): Promise<string> => {
    const { headers } = await read(method, path, sent);
    return headers["set-cookie"]?.[0]?.split(";")[0] ?? "";
  };
  return Object.assign(send, { cookie, open }) as Send;
}

/** Passes on the pieces of a stream as long as it lasts. @throws Error when it does not begin */
export async function follow(send: Send, path: string, onText: (text: string) => void): Promise<void> {
  const response = await send.open("GET", path, { headers: { accept: "text/event-stream" } });
  if (response.statusCode !== 200) throw new Error(`${codeIn(await textOf(response))}: ${response.statusCode ?? 0}`);
  let rest = "";
  response.setEncoding("utf8").on("data", (text: string) => {
    const events = (rest + text).split("\n\n");
    rest = events.pop() ?? "";
    for (const event of events) onText(event);
  });
  // A stream that ends is missed by what waits for it.
  response.on("error", () => undefined);
}

function codeIn(text: string): string {
  return /"code":"(\w+)"/.exec(text)?.[1] ?? "no code";
}

async function textOf(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of response as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}
