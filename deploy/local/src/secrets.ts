import { randomBytes } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { StartProblem } from "./start-problem.js";

/** What the processes of one data folder share and nobody else may know. */
export interface Secrets {
  /** The first signs the tenancy header, all are accepted. */
  readonly tenancy: readonly string[];
  readonly redisPassword: string;
  readonly natsPassword: string;
}

/** New secrets; they consist of letters, digits, `-` and `_` only, so that they may stand in URLs and configuration files. */
export function createSecrets(): Secrets {
  return { tenancy: [newSecret()], redisPassword: newSecret(), natsPassword: newSecret() };
}

/**
 * The secrets of a data folder, made at first use and kept in `secrets.json`, readable by their owner only.
 *
 * @throws StartProblem when the file is there but not usable
 */
export function loadSecrets(dataDir: string): Secrets {
  const file = join(dataDir, "secrets.json");
  mkdirSync(dataDir, { recursive: true });
  const stored = readIfThere(file);
  if (stored === null) {
    const secrets = createSecrets();
    writeFileSync(file, JSON.stringify(secrets, null, 2), { mode: 0o600 });
    return secrets;
  }
  try {
    const { tenancy, redisPassword, natsPassword } = JSON.parse(stored) as Partial<Secrets>;
    if (Array.isArray(tenancy) && tenancy.length > 0 && redisPassword && natsPassword) {
      return { tenancy, redisPassword, natsPassword };
    }
  } catch {
    // the sentence below is for both: no JSON, and JSON of another shape
  }
  throw new StartProblem(`${file} is damaged; delete it, and new secrets are made at the next start.`);
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
