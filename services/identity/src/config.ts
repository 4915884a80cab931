import { z } from "zod";
import { commonSettings, SecretList, shareSettings, tenancySettings, UrlList, writeSettings } from "@nts/shared/config";

import { checkPublicUrl, InsecureHttp } from "@nts/shared/exposure";
import { MAILS_OF_CALLER } from "./storage/mail-limits.js";
import { MailFrom, SmtpUrl } from "./mail/settings.js";
import { ProviderList } from "./flows/providers/settings.js";
import { REGISTRATIONS } from "./storage/first-account.js";
import { AUDIT_RETENTION_DAYS } from "./storage/audit-retention.js";

const { GATEWAY_TO_IDENTITY_SECRETS, IDENTITY_TO_TOPOLOGY_SECRETS } = tenancySettings;

const settings = z.object({
  ...commonSettings,
  GATEWAY_TO_IDENTITY_SECRETS,
  IDENTITY_TO_TOPOLOGY_SECRETS,
  SECOND_FACTOR_SECRETS: SecretList.optional().describe(
    "Comma-separated; the first one encrypts the secrets of second factors, all decrypt. Without it none can be set up.",
  ),
  OIDC_PROVIDERS: ProviderList.optional().describe(
    "JSON: a list of the OpenID Connect providers by whom users can sign in; docs/access.md says what each has.",
  ),
  SMTP_URL: SmtpUrl.optional().describe(
    "smtps://user:password@host, smtp:// with STARTTLS, or smtp://host:25?tls=none; without it no mail is sent.",
  ),
  MAILS_PER_ADDRESS: z.coerce
    .number()
    .int()
    .min(1)
    .default(MAILS_OF_CALLER)
    .describe("Mails requested per client address and hour."),
  MAIL_FROM: MailFrom.optional().describe("Sender of mail: an address, or Name <address>; needed with SMTP_URL."),
  ...shareSettings,
  ...writeSettings,
  MONGODB_URL: z.string().describe("A replica set; transactions need one."),
  MONGODB_DATABASE: z.string().default("identity").describe("The database of identity."),
  TOPOLOGY_URLS: UrlList.describe("Base URLs of the replicas of the topology service, comma-separated."),
  PUBLIC_URL: z
    .url({ protocol: /^https?$/ })
    .describe("Public URL; with https, the session cookie is only sent over https."),
  INSECURE_HTTP: InsecureHttp,
  REGISTRATION: z
    .enum(REGISTRATIONS)
    .default("first")
    .describe("Who may create an account: anyone, the first one and then those with an invite, or only those."),
  REGISTRATIONS_PER_SITE: z.coerce
    .number()
    .int()
    .min(1)
    .default(20)
    .describe(
      "Accounts created without an invite, also by open providers, per site (IPv4 address, IPv6 /48) and day (UTC).",
    ),
  VERIFIED_OWNERS: z
    .enum(["yes", "no"])
    .default("yes")
    .describe("`yes` gives new organizations small quotas until an Owner has verified the address; see docs/mail.md."),
  AUDIT_RETENTION_DAYS: z.coerce
    .number()
    .min(1)
    .max(20_000)
    .default(AUDIT_RETENTION_DAYS)
    .describe("Retention of the audit log in days."),
  MAX_KEYS_PER_USER: z.coerce.number().int().min(1).default(1_000).describe("API keys per user."),
  MAX_KEYS_PER_ORGANIZATION: z.coerce
    .number()
    .int()
    .min(1)
    .default(10_000)
    .describe("API keys of all users of an organization."),
  MAX_SESSIONS_PER_USER: z.coerce
    .number()
    .int()
    .min(1)
    .default(100)
    .describe("Sessions per user; a further one ends the least recently used."),
  MAX_INVITES_PER_ORGANIZATION: z.coerce
    .number()
    .int()
    .min(1)
    .default(1_000)
    .describe("Open invites per organization."),
});

/** Settings of the identity service. */
export const IdentitySettings = settings.check(checkPublicUrl);
