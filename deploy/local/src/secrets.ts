import { randomBytes } from "node:crypto";
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { StartProblem } from "./start-problem.js";

/** Secrets of the tenancy header by direction; the first signs, all are accepted. */
export interface TenancySecrets {
  readonly gatewayToIdentity: readonly string[];
  readonly gatewayToTopology: readonly string[];
  readonly identityToTopology: readonly string[];
}

/** Secrets shared by the processes of one data folder. */
export interface Secrets {
  readonly tenancySecrets: TenancySecrets;
  /** Encrypts second factor secrets. */
  readonly secondFactorSecret: string;
  /** Of Redis' operator, who may run every command. */
  readonly redisPassword: string;
  readonly redisGatewayPassword: string;
  /** Passwords of the processes' bus users. */
  readonly natsPasswords: Readonly<Record<"gateway" | "identity" | "topology", string>>;
  /** Of MongoDB's operator, who may read and change every database. */
  readonly mongodbPassword: string;
  /** Passwords of the services' users, who may read and change their own database. */
  readonly mongodbPasswords: Readonly<Record<"identity" | "topology", string>>;
  /** Authenticates members of the replica set; hexadecimal. */
  readonly mongodbKey: string;
}

/** New secrets of letters, digits, `-` and `_` only, safe for URLs and configuration files. */
export function createSecrets(): Secrets {
  return {
    tenancySecrets: {
      gatewayToIdentity: [newSecret()],
      gatewayToTopology: [newSecret()],
      identityToTopology: [newSecret()],
    },
    secondFactorSecret: newSecret(),
    redisPassword: newSecret(),
    redisGatewayPassword: newSecret(),
    natsPasswords: { gateway: newSecret(), identity: newSecret(), topology: newSecret() },
    mongodbPassword: newSecret(),
    mongodbPasswords: { identity: newSecret(), topology: newSecret() },
    mongodbKey: randomBytes(32).toString("hex"),
  };
}

/**
 * The secrets of a data folder, created on first use in `secrets.json`, readable by their owner only. Those that it lacks
 * are added.
 *
 * @throws StartProblem if the file is unusable
 */
export function loadSecrets(dataDir: string): Secrets {
  const file = join(dataDir, "secrets.json");
  mkdirSync(dataDir, { recursive: true });
  const stored = readIfThere(file);
  const kept = stored === null ? {} : parse(stored, file);
  const secrets: Secrets = { ...createSecrets(), ...kept };
  if (Object.keys(kept).length < Object.keys(secrets).length) write(file, secrets);
  return secrets;
}

function parse(stored: string, file: string): Partial<Secrets> {
  try {
    const kept = JSON.parse(stored) as Partial<Secrets>;
    if (kept.redisPassword) return kept;
  } catch {
    // the sentence below is for both: no JSON, and JSON of another shape
  }
  throw new StartProblem(`${file} is damaged; delete it to create new secrets at the next start.`);
}

/** Renamed atomically: a truncated file would lose the servers' passwords. */
function write(file: string, secrets: Secrets): void {
  const whole = `${file}.${process.pid}`;
  writeFileSync(whole, JSON.stringify(secrets, null, 2), { mode: 0o600 });
  renameSync(whole, file);
}

function readIfThere(file: string): string | null {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}

function newSecret(): string {
  return randomBytes(32).toString("base64url");
}
