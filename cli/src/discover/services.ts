import { connect, type Socket } from "node:net";
import { connect as connectTls, type PeerCertificate, type TLSSocket } from "node:tls";
import { type Answer, type Certificate, keyOf } from "./answers.rules.js";
import { greetingIn, type Page, pageIn } from "./greetings.rules.js";
import { forEach, type Pace } from "./pace.js";
import type { PortsOf } from "./ports.js";

// What answers at open ports: a greeting, a certificate, the title of the first page.

const AT_A_TIME = 50;
/** Of a connection, with its handshakes, a question and the confirmations of an answer. */
export const EXCHANGE_PACKETS = 10;
/** Servers that speak first do so within this time. */
const GREETING_MS = 700;
const ANSWER_MS = 2_000;
const MOST_BYTES = 16_384;
const NOTHING: Answer = { service: null, product: null, version: null, title: null, certificate: null };
/** Ports that are asked for a certificate first. */
const TLS_FIRST: ReadonlySet<number> = new Set([
  443, 465, 636, 993, 995, 2376, 5986, 6443, 8006, 8443, 8883, 8920, 9443,
]);
/** What answers there prints it, or must not be disturbed. */
const LEFT_ALONE: ReadonlySet<number> = new Set([515, 9100]);

/** Asks every open port. @returns answers by address and port */
export async function answersOf(machines: readonly PortsOf[], pace: Pace): Promise<Map<string, Answer>> {
  const found = new Map<string, Answer>();
  const places = machines.flatMap(({ ip, open }) => open.map((port) => ({ ip, port })));
  await forEach(places, AT_A_TIME, async ({ ip, port }) => {
    if (!LEFT_ALONE.has(port)) found.set(keyOf(ip, port), await answerOf(ip, port, pace));
  });
  return found;
}

async function answerOf(ip: string, port: number, pace: Pace): Promise<Answer> {
  if (TLS_FIRST.has(port)) {
    const secured = await secureAnswer(ip, port, pace);
    if (secured !== null) return secured;
  }
  await pace(EXCHANGE_PACKETS);
  const text = await exchange(connect({ host: ip, port }), ip);
  const greeting = greetingIn(text);
  if (greeting !== null) return { ...NOTHING, ...greeting };
  const page = pageIn(text);
  // Servers that require TLS say so, in HTTP, or end the connection.
  const isPlain = page !== null && !/^HTTP\/1\.[01] 400/.test(text);
  if (isPlain || TLS_FIRST.has(port)) return { ...NOTHING, ...page };
  return (await secureAnswer(ip, port, pace)) ?? { ...NOTHING, ...page };
}

/** @returns null if TLS is not spoken there */
async function secureAnswer(ip: string, port: number, pace: Pace): Promise<Answer | null> {
  await pace(EXCHANGE_PACKETS);
  // It is looked at, not trusted.
  const socket = connectTls({ host: ip, port, rejectUnauthorized: false, minVersion: "TLSv1" });
  const certificates: Certificate[] = [];
  socket.once("secureConnect", () => certificates.push(...certificateOf(socket)));
  const text = await exchange(socket, ip);
  const [certificate] = certificates;
  if (certificate === undefined) return null;
  const page: Page | null = pageIn(text);
  const answer = page ?? greetingIn(text);
  return { ...NOTHING, ...answer, service: answer === null ? null : secureName(answer.service), certificate };
}

function secureName(service: string): string {
  return service === "http" ? "https" : service;
}

/** Waits for a greeting, else asks for the first page. @returns what came, one character for each byte */
function exchange(socket: Socket | TLSSocket, host: string): Promise<string> {
  return new Promise((resolve) => {
    let text = "";
    let asking: NodeJS.Timeout | undefined;
    const end = (): void => {
      clearTimeout(limit);
      clearTimeout(asking);
      socket.destroy();
      resolve(text);
    };
    // After what has come while this process had no processor.
    const limit = setTimeout(() => setImmediate(end), GREETING_MS + ANSWER_MS);
    const ask = (): void => {
      asking = setTimeout(() => {
        if (text === "")
          socket.write(
            `GET / HTTP/1.1\r\nHost: ${host}\r\nUser-Agent: nts\r\nAccept: */*\r\nConnection: close\r\n\r\n`,
          );
        else end();
      }, GREETING_MS);
    };
    socket.once("encrypted" in socket ? "secureConnect" : "connect", ask);
    socket.on("data", (bytes: Buffer) => {
      text += bytes.toString("latin1");
      if (text.length >= MOST_BYTES || greetingIn(text) !== null) end();
    });
    socket.once("error", end);
    socket.once("close", end);
  });
}

/** The certificate of the other side, if it has one. */
function certificateOf(socket: TLSSocket): Certificate[] {
  const found: Partial<PeerCertificate> = socket.getPeerCertificate();
  const { subject, issuer, subjectaltname = "", valid_from: from, valid_to: to, fingerprint256 = "" } = found;
  if (from === undefined || to === undefined) return [];
  const names = subjectaltname.split(", ").flatMap((part) => /^(?:DNS|IP Address):(.+)$/.exec(part)?.[1] ?? []);
  return [
    {
      subject: nameIn(subject),
      issuer: nameIn(issuer),
      names,
      not_before: new Date(from).toISOString(),
      not_after: new Date(to).toISOString(),
      sha256: fingerprint256.replaceAll(":", "").toLowerCase(),
    },
  ];
}

/** The common name, else the organization. Names with several values are lists. */
function nameIn(of: PeerCertificate["subject"] | undefined): string {
  const { CN, O } = (of ?? {}) as Partial<Record<"CN" | "O", string | readonly string[]>>;
  return [CN ?? O ?? ""].flat()[0] ?? "";
}
