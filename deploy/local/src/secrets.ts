import { randomBytes } from "node:crypto";
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { StartProblem } from "./start-problem.js";

/** Secrets of the tenancy header, for each direction; the first signs, all are accepted. */
export interface TenancySecrets {
  readonly gatewayToIdentity: readonly string[];
  readonly gatewayToTopology: readonly string[];
  readonly identityToTopology: readonly string[];
}

/** What the processes of one data folder share and nobody else may know. */
export interface Secrets {
  readonly tenancySecrets: TenancySecrets;
  /** Encrypts the secrets of second factors. */
  readonly secondFactorSecret: string;
  readonly redisPassword: string;
  /** Of the users that the processes are on the bus. */
  readonly natsPasswords: Readonly<Record<"gateway" | "identity" | "topology", string>>;
  readonly mongodbPassword: string;
  /** What the members of the replica set know each other by: hexadecimal digits. */
  readonly mongodbKey: string;
}

/** New secrets; they consist of letters, digits, `-` and `_` only, so that they may stand in URLs and configuration files. */
export function createSecrets(): Secrets {
  return {
    tenancySecrets: {
      gatewayToIdentity: [newSecret()],
      gatewayToTopology: [newSecret()],
      identityToTopology: [newSecret()],
    },
    secondFactorSecret: newSecret(),
    redisPassword: newSecret(),
    natsPasswords: { gateway: newSecret(), identity: newSecret(), topology: newSecret() },
    mongodbPassword: newSecret(),
    mongodbKey: randomBytes(32).toString("hex"),
  };
}

/**
 * The secrets of a data folder, made at first use and kept in `secrets.json`, readable by their owner only. What an earlier
 * version did not know yet is added.
 *
 * @throws StartProblem when the file is there but not usable
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

/** By one rename: a file that was cut off would cost the passwords that the servers know. */
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
