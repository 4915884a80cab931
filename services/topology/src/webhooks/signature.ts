import { createHmac, randomBytes } from "node:crypto";
import type { Db } from "mongodb";
import { onceItWorks } from "@nts/shared/once";
import { readKey } from "../storage/keys.js";

// As Standard Webhooks says: https://www.standardwebhooks.com. Signing needs the secret itself. It follows from a key of the
// database and a salt of the webhook, and is never stored: a database notes commands that take it long in its log.

const PREFIX = "whsec_";

/** Tells the secret of a webhook by its salt. */
export type SecretOf = (salt: string) => Promise<string>;

export function newSalt(): string {
  return randomBytes(32).toString("base64");
}

/** Makes what tells secrets; the key of the database is read once. */
export function secretsOf(db: Db): SecretOf {
  const key = onceItWorks(() => readKey(db, "webhooks"));
  return async (salt) =>
    PREFIX +
    createHmac("sha256", await key())
      .update(salt)
      .digest("base64");
}

/** The headers by which a receiver knows whose message it is, and that it has it already. */
export function signatureHeaders(secret: string, { id, body }: { id: string; body: string }): Record<string, string> {
  const timestamp = String(Math.floor(Date.now() / 1_000));
  const key = Buffer.from(secret.slice(PREFIX.length), "base64");
  const signature = createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest("base64");
  return { "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": `v1,${signature}` };
}
