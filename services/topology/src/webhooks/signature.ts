import { createHmac, randomBytes } from "node:crypto";
import type { Db } from "mongodb";
import { onceItWorks } from "@nts/shared/once";
import { readKey } from "../storage/keys.js";

// Signatures according to https://www.standardwebhooks.com. The secret is derived from a database key and the webhook's salt instead
// of being stored, because MongoDB logs slow commands with their content.

const PREFIX = "whsec_";

/** Derives the secret of a webhook from its salt. */
export type SecretOf = (salt: string) => Promise<string>;

export function newSalt(): string {
  return randomBytes(32).toString("base64");
}

/** Creates {@link SecretOf}; the database key is read once. */
export function secretsOf(db: Db): SecretOf {
  const key = onceItWorks(() => readKey(db, "webhooks"));
  return async (salt) =>
    PREFIX +
    createHmac("sha256", await key())
      .update(salt)
      .digest("base64");
}

/** The headers with which a receiver verifies and deduplicates messages. */
export function signatureHeaders(secret: string, { id, body }: { id: string; body: string }): Record<string, string> {
  const timestamp = String(Math.floor(Date.now() / 1_000));
  const key = Buffer.from(secret.slice(PREFIX.length), "base64");
  const signature = createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest("base64");
  return { "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": `v1,${signature}` };
}
