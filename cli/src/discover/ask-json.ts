import { request } from "node:http";
import { connect as connectPlain, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { Late } from "./pace.js";
import { Unavailable } from "./senses.js";
import type { Reachable } from "./settings.js";

// Reads JSON of systems in the network over HTTPS. Their certificate is checked before they are sent a credential: by the
// authorities that this machine trusts, or by its fingerprint.

const TIMEOUT_MS = 15_000;
const MOST_BYTES = 32 * 1_048_576;

/** Why a system did not respond as hoped. */
export class Refused extends Unavailable {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

/** @throws Refused by its status · Unavailable */
export async function askJson(
  system: Reachable,
  path: string,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<unknown> {
  const url = new URL(system.url.replace(/\/+$/, "") + path);
  const both = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]);
  try {
    const socket = await connectTo(url, system, both);
    const text = await exchange(url, socket, { accept: "application/json", ...headers }, both);
    return JSON.parse(text) as unknown;
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof Unavailable || error instanceof Late) throw error;
    const { code, message } = error as NodeJS.ErrnoException;
    const reason =
      error instanceof SyntaxError ? "it does not respond with JSON" : both.aborted ? "no response" : (code ?? message);
    throw new Unavailable(`${url.origin} cannot be asked: ${reason}.`);
  }
}

function connectTo(url: URL, { fingerprint, insecure }: Reachable, signal: AbortSignal): Promise<Socket> {
  const isPlain = url.protocol === "http:";
  const host = url.hostname.replace(/^\[|\]$/g, "");
  const port = url.port === "" ? (isPlain ? 80 : 443) : Number(url.port);
  return new Promise((resolve, reject) => {
    const isUnchecked = insecure || fingerprint !== undefined;
    const socket = isPlain
      ? connectPlain({ host, port })
      : connectTls({
          host,
          port,
          servername: /[a-z]/i.test(host) && !host.includes(":") ? host : "",
          rejectUnauthorized: !isUnchecked,
        });
    const end = (error: Error): void => {
      socket.destroy();
      reject(error);
    };
    signal.addEventListener("abort", () => end(new Error("no response")), { once: true });
    socket.once("error", end);
    socket.once(isPlain ? "connect" : "secureConnect", () => {
      const shown = "getPeerX509Certificate" in socket ? (socket.getPeerX509Certificate()?.fingerprint256 ?? "") : "";
      if (fingerprint === undefined || plain(shown) === plain(fingerprint)) resolve(socket);
      else end(new Unavailable(`${url.origin} shows another certificate, with the fingerprint ${shown}.`));
    });
  });
}

function plain(fingerprint: string): string {
  return fingerprint.replaceAll(":", "").toLowerCase();
}

function exchange(
  url: URL,
  socket: Socket,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<string> {
  return new Promise((resolve, reject) => {
    const asking = request(
      {
        host: url.hostname,
        path: url.pathname + url.search,
        headers: { host: url.host, ...headers },
        createConnection: () => socket,
        signal,
      },
      (response) => {
        const parts: Buffer[] = [];
        let bytes = 0;
        response.on("data", (part: Buffer) => {
          parts.push(part);
          if ((bytes += part.length) > MOST_BYTES) asking.destroy(new Error("its response is too large"));
        });
        response.on("error", reject);
        response.on("end", () => {
          socket.destroy();
          const { statusCode = 0 } = response;
          const status = statusCode === 401 || statusCode === 403 ? `${statusCode}, its token is refused` : statusCode;
          if (statusCode === 200) resolve(Buffer.concat(parts).toString("utf8"));
          else reject(new Refused(statusCode, `${url.origin}${url.pathname} responds with ${status}.`));
        });
      },
    );
    asking.on("error", reject);
    asking.end();
  });
}
