import { createHmac, randomBytes } from "node:crypto";

// As Standard Webhooks says: https://www.standardwebhooks.com. The secret has to be known in clear to sign with it.

const PREFIX = "whsec_";

export function newWebhookSecret(): string {
  return PREFIX + randomBytes(32).toString("base64");
}

/** The headers by which a receiver knows whose message it is, and that it has it already. */
export function signatureHeaders(secret: string, { id, body }: { id: string; body: string }): Record<string, string> {
  const timestamp = String(Math.floor(Date.now() / 1_000));
  const key = Buffer.from(secret.slice(PREFIX.length), "base64");
  const signature = createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest("base64");
  return { "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": `v1,${signature}` };
}
