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
const WALK_MS = 15_000;
/** Of all tables that say how a device is connected. */
const WALKS_MS = 60_000;
const MOST_ROWS = 10_000;
const MOST_WALKED = 100_000;
/** Rows in one response. */
const TOGETHER = 25;
const LONGEST = 500;

/** @returns what machines say, by the address at which they were asked */
export async function askBySnmp(
  addresses: readonly string[],
  credentials: readonly SnmpCredential[],
  pace: Pace,
): Promise<Map<string, SnmpMachine>> {
  const found = new Map<string, SnmpMachine>();
  await forEach(addresses, AT_A_TIME, async (ip) => {
    for (const credential of credentials) {
      const machine = await ask(ip, credential, pace);
      if (machine !== null) return void found.set(ip, machine);
    }
  });
  return found;
}

async function ask(ip: string, credential: SnmpCredential, pace: Pace): Promise<SnmpMachine | null> {
  const session = sessionOf(ip, credential);
  try {
    await pace();
    const system = await get(session, Object.values(SYSTEM));
    if (system === null) return null;
    const text = (oid: string): string | null => {
      const value = system.get(oid);
      const written = Buffer.isBuffer(value) || typeof value === "string" ? value.toString().trim() : "";
      return written === "" ? null : written.slice(0, LONGEST);
    };
    const walk = (oid: string): Promise<Rows> => rowsOf(session, oid, pace);
    const macs = await walk(TABLES.macs);
    const addresses = await walk(TABLES.addresses);
    const neighbours = await walk(TABLES.neighbours);
    return {
      name: text(SYSTEM.name),
      vendor: vendorIn(text(SYSTEM.kind) ?? ""),
      model: text(SYSTEM.model),
      serial: text(SYSTEM.serial),
      os: systemIn(text(SYSTEM.description) ?? ""),
      addresses: addressesIn(addresses, macs),
      neighbours: neighboursIn(neighbours),
      walk: await connectionsOf(session, pace),
    };
  } finally {
    session.close();
  }
}

function sessionOf(ip: string, credential: SnmpCredential): Session {
  const options = { timeout: TIMEOUT_MS, retries: 1 };
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
  const varbinds = await walkOf(session, oid, pace, performance.now() + WALK_MS);
  return varbinds.map((one) => [one.oid.slice(oid.length + 1), one.value]);
}

/** How a device is connected, as far as it says so in time. */
async function connectionsOf(session: Session, pace: Pace): Promise<string> {
  const endMs = performance.now() + WALKS_MS;
  const lines: string[] = [];
  for (const oid of CONNECTIONS) {
    for (const { oid: at, type, value } of await walkOf(session, oid, pace, endMs))
      lines.push(walkLine(at, type ?? 0, value));
    if (lines.length > MOST_WALKED) break;
  }
  return lines.join("");
}

async function walkOf(session: Session, oid: string, pace: Pace, endMs: number): Promise<Varbind[]> {
  const rows: Varbind[] = [];
  for (let from = oid; rows.length < MOST_ROWS && performance.now() < endMs;) {
    await pace();
    const varbinds = await nextOf(session, from);
    const inside = varbinds.filter((one) => !isVarbindError(one) && one.oid.startsWith(`${oid}.`));
    rows.push(...inside);
    const last = inside.at(-1);
    if (last === undefined || inside.length < varbinds.length) break;
    from = last.oid;
  }
  return rows;
}

function nextOf(session: Session, oid: string): Promise<readonly Varbind[]> {
  return new Promise((resolve) => {
    session.getBulk([oid], 0, TOGETHER, (error, varbinds) => {
      resolve(error === null ? (varbinds ?? []).flat() : []);
    });
  });
}
