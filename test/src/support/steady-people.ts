/** Users during restarts: an account of two organizations, an expired key, and mails. */
import { randomUUID } from "node:crypto";
import type { CurrentUser } from "@nts/shared/contract";
import { aGuest, aKey, anAccount, type Account, type CreatedKey } from "./api.js";
import { type Mailbox, SUBJECTS } from "./mailbox.js";
import { keyAgerOf } from "./revocable.js";
import type { Stack } from "./stack.js";
import type { Send } from "./steady-load.js";
import { until } from "./until.js";

export interface SteadyPeople {
  /** One round of requests. */
  work(send: Send): Promise<void>;
  /** Unexpected results, as sentences. */
  faults(): Promise<string[]>;
}

/** An organization may mail a hundred invites a day. */
const MAX_MAILS = 90;
/** Longer than the lease of a process that ended while it sent a mail. */
const MAILED_MS = 90_000;
const LIST = "/api/v1/networks?limit=1";

/** @param mailbox to which the stack sends its mail */
export async function startPeople(stack: Stack, mailbox: Mailbox): Promise<SteadyPeople> {
  const { host, guest, keys } = await twoOrganizations(stack.url);
  const { token } = await mailbox.next(host.email, { subject: SUBJECTS.verification });
  await host.session.data("post", "/api/auth/email/verify", { token });
  await host.session.data("patch", `/api/v1/organizations/${host.organizationId}`, { max_key_lifetime_days: 30 });
  const old = await aKey(stack.url, host);
  await keyAgerOf(stack)(old.id, 31);
  const invitedEmails: string[] = [];
  const faults: string[] = [];
  return {
    work: async (send) => {
      for (const { secret } of keys) await send("GET", LIST, bearer(secret));
      await send("GET", LIST, bearer(old.secret), undefined, 401);
      const response = await send("GET", "/api/auth/me", { cookie: guest.cookie });
      const memberships =
        response === null ? null : (JSON.parse(response.text) as { data: CurrentUser }).data.organizations;
      if (memberships !== null && memberships.length !== 2)
        faults.push(`the organizations of an account: ${JSON.stringify(memberships)}`);
      if (invitedEmails.length >= MAX_MAILS) return;
      const email = `rolling-${randomUUID()}@example.com`;
      const invited = await send("POST", "/api/v1/invites", { cookie: host.cookie }, { permissions: "Viewer", email });
      if (invited !== null) invitedEmails.push(email);
    },
    faults: async () => {
      const missing = () => invitedEmails.filter((email) => mailbox.of(email).length === 0);
      await until(() => missing().length === 0, 50, MAILED_MS).catch(() => undefined);
      return [...faults, ...missing().map((email) => `the mail to ${email}`)];
    },
  };
}

interface Guest {
  readonly host: Account;
  /** In a session that acts in the organization of the host. */
  readonly guest: Account;
  /** One in each organization. */
  readonly keys: readonly CreatedKey[];
}

async function twoOrganizations(url: string): Promise<Guest> {
  const host = await anAccount(url);
  const home = await anAccount(url);
  const first = await aKey(url, home);
  const guest = await aGuest(url, home, host);
  return { host, guest, keys: [first, await aKey(url, guest, { permissions: "Admin" })] };
}

const bearer = (secret: string) => ({ authorization: `Bearer ${secret}` });
