import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { type Db, MongoServerError } from "mongodb";
import { isLoopback } from "@nts/shared/exposure";
import { createMongoClient, openDatabase } from "@nts/shared/mongo/connect";
import { type Checked, type ExposedSettings, settingFaults, withoutCredentials } from "./exposure.rules.js";

// Checks what fails silently when others can reach the system. What could not be checked counts as a fault.
// @see docs/exposing.md

export interface DoctorOptions {
  readonly settings: ExposedSettings;
  /** The name of identity's database. */
  readonly database: string;
  /** Where users reach the system; undefined to leave that out. */
  readonly url: string | undefined;
  /** A folder of backups; undefined to leave that out. */
  readonly backups: string | undefined;
}

const WITHIN_MS = 3_000;
const DAY_MS = 86_400_000;
/** A day, and time for the backup itself. */
const LONGEST_WITHOUT_BACKUP_MS = 1.25 * DAY_MS;
/** Requests that find out whether clients can choose their address. */
const FORGED = 6;
/** Above this, what these requests take from a limit is given back at once. */
const MOST_PER_MINUTE = 6_000;
/** Of MongoDB: Unauthorized, AuthenticationFailed. */
const DENIED = new Set<unknown>([13, 18]);

export async function examine({ settings, database, url, backups }: DoctorOptions): Promise<Checked[]> {
  const checked: Checked[] = [
    ...settingFaults(settings),
    await accountFault(settings, database),
    { what: "MongoDB requires a password", fault: await openDatabaseFault(settings.MONGODB_URL) },
  ];
  if (url !== undefined) checked.push(...(await runningFaults(url)));
  if (backups !== undefined) checked.push({ what: "there is a recent backup", fault: await backupFault(backups) });
  return checked;
}

/** Until there is an account, `first` is `open`. */
async function accountFault({ MONGODB_URL, REGISTRATION }: ExposedSettings, database: string): Promise<Checked> {
  const what = "a first account exists";
  const hasAccounts = (db: Db) => db.collection("users").findOne({}, { projection: { _id: 1 } });
  const found = await withClient(MONGODB_URL, (client) => hasAccounts(openDatabase(client, database)));
  if (found instanceof Error) return { what, fault: `The database could not be asked: ${nameOf(found)}.` };
  const isOpen = found === null && REGISTRATION !== "invite";
  return { what, fault: isOpen ? "Whoever registers first owns the system: register now, or run create-owner." : null };
}

/** Tries to read without the credentials. Only a refusal shows that they are needed. */
async function openDatabaseFault(mongodbUrl: string): Promise<string | null> {
  const bare = withoutCredentials(mongodbUrl);
  const found = await withClient(bare, (client) => client.db("admin").command({ listDatabases: 1, nameOnly: true }));
  if (!(found instanceof Error))
    return "It can be read without one: enable access control, and create a user per service.";
  if (found instanceof MongoServerError && DENIED.has(found.code)) return null;
  return `It could not be tried: ${nameOf(found)}. Run this where MongoDB can be reached.`;
}

async function withClient<T>(
  url: string,
  task: (client: ReturnType<typeof createMongoClient>) => Promise<T>,
): Promise<T | Error> {
  try {
    const client = createMongoClient(url, "identity-doctor", { minPoolSize: 0, serverSelectionTimeoutMS: WITHIN_MS });
    try {
      return await task(client);
    } finally {
      await client.close();
    }
  } catch (error) {
    return error as Error;
  }
}

/** The driver's messages may contain parts of the URL, so only names and codes are printed. */
function nameOf(error: Error): string {
  return error instanceof MongoServerError ? `${error.name} ${error.codeName ?? error.code ?? ""}`.trim() : error.name;
}

/** Asks the running system through the URL that users open. */
async function runningFaults(url: string): Promise<Checked[]> {
  const { origin, protocol, hostname } = new URL(url);
  const health = await answer(`${origin}/api/health`);
  const what = `${origin} responds`;
  if (typeof health === "string")
    return [{ what, fault: `${health} Check the address, the certificate and the proxy.` }];
  const checked = [
    { what, fault: health.ok ? null : `GET /api/health responds with ${health.status}.` },
    { what: "clients cannot choose their address", fault: await forgedAddressFault(origin) },
  ];
  if (isLoopback(hostname)) return checked;
  const isTls = protocol === "https:";
  const tlsFault = "Put a proxy with a certificate in front, and set PUBLIC_URL to its https URL.";
  return [
    ...checked,
    { what: "it is served over TLS", fault: isTls ? null : tlsFault },
    { what: "the session cookie is Secure", fault: await cookieFault(origin) },
  ];
}

/** Logging out clears the cookie, with the attributes with which it is set. */
async function cookieFault(origin: string): Promise<string | null> {
  const headers = { cookie: "session_id=none", origin };
  const response = await answer(`${origin}/api/auth/logout`, { method: "POST", headers });
  if (typeof response === "string") return response;
  if (response.status === 403)
    return "It rejects its own origin: set PUBLIC_URL of the gateway to the URL that users open.";
  const [cookie] = response.headers.getSetCookie();
  if (cookie === undefined) return `It could not be seen: POST /api/auth/logout responds with ${response.status}.`;
  if (/; *secure/i.test(cookie)) return null;
  return "It is not: set PUBLIC_URL of identity to the https URL that users open.";
}

/** With the limit of an address: it is the same for all of them, unless each counts as another client. */
async function forgedAddressFault(origin: string): Promise<string | null> {
  const forged = Array.from({ length: FORGED }, (_, n) => ({ "x-forwarded-for": `203.0.113.${n + 1}` }));
  const responses = await Promise.all(forged.map((headers) => answer(`${origin}/api/v1/hosts?limit=1`, { headers })));
  const left: number[] = [];
  for (const response of responses) {
    if (typeof response === "string") return response;
    if (response.status === 429) return null;
    const { headers, status } = response;
    const limit = Number(headers.get("x-ratelimit-limit") ?? Number.NaN);
    if (Number.isNaN(limit)) return `It could not be tried: GET /api/v1/hosts responds with ${status}.`;
    if (limit > MOST_PER_MINUTE) return "It could not be tried: ANONYMOUS_RATE_LIMIT_PER_MINUTE is too high.";
    left.push(Number(headers.get("x-ratelimit-remaining")));
  }
  if (Math.max(...left) - Math.min(...left) >= FORGED / 2) return null;
  return "Each X-Forwarded-For counts as another client: set TRUST_PROXY_HOPS to the number of proxies in front of the gateway.";
}

async function answer(url: string, init: RequestInit = {}): Promise<Response | string> {
  try {
    const response = await fetch(url, { ...init, redirect: "manual", signal: AbortSignal.timeout(WITHIN_MS) });
    await response.body?.cancel();
    return response;
  } catch (error) {
    const { cause, message } = error as Error;
    return `It does not respond: ${cause instanceof Error ? cause.message : message}.`;
  }
}

async function backupFault(folder: string): Promise<string | null> {
  const names = await readdir(folder).catch(() => []);
  const times = await Promise.all(names.map(async (name) => (await stat(join(folder, name))).mtimeMs));
  if (times.length === 0) return `${folder} has none: run deploy/backup regularly.`;
  const ageMs = Date.now() - Math.max(...times);
  if (ageMs < LONGEST_WITHOUT_BACKUP_MS) return null;
  return `The newest one in ${folder} is ${Math.round(ageMs / DAY_MS)} days old.`;
}
