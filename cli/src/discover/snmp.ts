import {
  createSession,
  createV3Session,
  isVarbindError,
  type Session,
  Version2c,
  Version3,
  type Varbind,
} from "net-snmp";
import { forEach, type Pace } from "./pace.js";
import type { SnmpCredential } from "./snmp-credentials.js";
import {
  addressesIn,
  CONNECTIONS,
  neighboursIn,
  type Rows,
  type SnmpMachine,
  SYSTEM,
  systemIn,
  TABLES,
  vendorIn,
  walkLine,
} from "./snmp-values.rules.js";

// Asks machines by SNMP what they are, which addresses they have, and whom they know: routers know the MAC addresses of machines
// that this one cannot see.

const AT_A_TIME = 100;
const TIMEOUT_MS = 1_000;
/** Of a question to a machine that may not speak SNMP, and to one that does. */
const RETRIES = 1;
const RETRIES_OF_WALK = 3;
const WALK_MS = 15_000;
/** Of all tables that say how a device is connected. */
const WALKS_MS = 60_000;
const MOST_ROWS = 10_000;
const MOST_WALKED = 100_000;
/** Rows in one response. */
const TOGETHER = 25;
const LONGEST = 500;

/** @param asking `note` is told what could not be read, as a sentence @returns what machines say, by the address at which they were asked */
export async function askBySnmp(
  addresses: readonly string[],
  credentials: readonly SnmpCredential[],
  asking: Asking,
): Promise<Map<string, SnmpMachine>> {
  const found = new Map<string, SnmpMachine>();
  await forEach(addresses, AT_A_TIME, async (ip) => {
    for (const credential of credentials) {
      const machine = await ask(ip, credential, asking);
      if (machine !== null) return void found.set(ip, machine);
    }
  });
  return found;
}

interface Asking {
  readonly pace: Pace;
  readonly note: (reason: string) => void;
}

async function ask(ip: string, credential: SnmpCredential, { pace, note }: Asking): Promise<SnmpMachine | null> {
  const system = await systemOf(ip, credential, pace);
  if (system === null) return null;
  const session = sessionOf(ip, credential, RETRIES_OF_WALK);
  try {
    const text = (oid: string): string | null => {
      const value = system.get(oid);
      const written = Buffer.isBuffer(value) || typeof value === "string" ? value.toString().trim() : "";
      return written === "" ? null : written.slice(0, LONGEST);
    };
    const walk = (oid: string): Promise<Rows> => rowsOf(session, oid, pace);
    const macs = await walk(TABLES.macs);
    const addresses = await walk(TABLES.addresses);
    const neighbours = await walk(TABLES.neighbours);
    const connections = await connectionsOf(session, pace);
    if (connections === null)
      note(`${ip} did not say all of how it is connected in time, so that nothing of it counts.`);
    return {
      name: text(SYSTEM.name),
      vendor: vendorIn(text(SYSTEM.kind) ?? ""),
      model: text(SYSTEM.model),
      serial: text(SYSTEM.serial),
      os: systemIn(text(SYSTEM.description) ?? ""),
      addresses: addressesIn(addresses, macs),
      neighbours: neighboursIn(neighbours),
      walk: connections ?? "",
    };
  } finally {
    session.close();
  }
}

/** What a machine says of itself; null if it does not answer. */
async function systemOf(
  ip: string,
  credential: SnmpCredential,
  pace: Pace,
): Promise<ReadonlyMap<string, unknown> | null> {
  const session = sessionOf(ip, credential, RETRIES);
  try {
    await pace();
    return await get(session, Object.values(SYSTEM));
  } finally {
    session.close();
  }
}

function sessionOf(ip: string, credential: SnmpCredential, retries: number): Session {
  const options = { timeout: TIMEOUT_MS, retries };
  const session =
    "community" in credential
      ? createSession(ip, credential.community, { ...options, version: Version2c })
      : createV3Session(ip, credential.user, { ...options, version: Version3 });
  // A port that is closed, or an address that cannot be reached.
  session.on("error", () => undefined);
  return session;
}

/** @returns values by OID, without those that the machine does not have; null if it does not answer */
function get(session: Session, oids: string[]): Promise<Map<string, unknown> | null> {
  return new Promise((resolve) => {
    session.get(oids, (error, varbinds: Varbind[] | undefined) => {
      const known = (varbinds ?? []).filter((one) => !isVarbindError(one));
      resolve(error !== null || known.length === 0 ? null : new Map(known.map(({ oid, value }) => [oid, value])));
    });
  });
}

/** The rows of a column, as far as they come in time. */
async function rowsOf(session: Session, oid: string, pace: Pace): Promise<Rows> {
  const limits = { endMs: performance.now() + WALK_MS, most: MOST_ROWS };
  const { rows } = await walkOf(session, oid, pace, limits);
  return rows.map((one) => [one.oid.slice(oid.length + 1), one.value]);
}

/**
 * How a device is connected; null if it does not say all of it in time. Some of the MAC addresses behind a port would look like
 * a single machine, and make a link that is not there.
 */
export async function connectionsOf(session: Walked, pace: Pace): Promise<string | null> {
  const endMs = performance.now() + WALKS_MS;
  const lines: string[] = [];
  for (const oid of CONNECTIONS) {
    const { rows, end } = await walkOf(session, oid, pace, { endMs, most: MOST_WALKED - lines.length });
    if (end === "cut") return null;
    if (end === "whole") for (const { oid: at, type, value } of rows) lines.push(walkLine(at, type ?? 0, value));
  }
  return lines.join("");
}

type Walked = Pick<Session, "getBulk">;

/** Rows of a table, and whether these are all: the device may refuse to tell it, or the time or the rows were too few. */
interface Walk {
  readonly rows: readonly Varbind[];
  readonly end: "whole" | "refused" | "cut";
}

async function walkOf(
  session: Walked,
  oid: string,
  pace: Pace,
  { endMs, most }: { readonly endMs: number; readonly most: number },
): Promise<Walk> {
  const rows: Varbind[] = [];
  for (let from = oid; rows.length < most && performance.now() < endMs;) {
    await pace();
    const varbinds = await nextOf(session, from);
    if (typeof varbinds === "string") return { rows, end: varbinds };
    const inside = varbinds.filter((one) => !isVarbindError(one) && one.oid.startsWith(`${oid}.`));
    rows.push(...inside);
    const last = inside.at(-1);
    if (last === undefined || inside.length < varbinds.length) return { rows, end: "whole" };
    from = last.oid;
  }
  return { rows, end: "cut" };
}

/** @returns what comes next; `refused` if the device answers with an error, `cut` if it does not answer */
function nextOf(session: Walked, oid: string): Promise<readonly Varbind[] | Exclude<Walk["end"], "whole">> {
  return new Promise((resolve) => {
    session.getBulk([oid], 0, TOGETHER, (error, varbinds) => {
      if (error === null) resolve((varbinds ?? []).flat());
      else resolve((error as Error).name === "RequestFailedError" ? "refused" : "cut");
    });
  });
}
