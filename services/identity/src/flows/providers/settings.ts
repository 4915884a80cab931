import { z } from "zod";
import { Id, PermissionLevel } from "@nts/shared/contract/common";
import { textIn } from "@nts/shared/config";

/** The rights of a provider's group. */
export interface GroupRights {
  readonly permissions: z.infer<typeof PermissionLevel>;
  readonly network_ids: readonly string[];
}

const Rights = z.strictObject({
  permissions: PermissionLevel,
  network_ids: z.array(Id).max(1000).default([]),
});

/** Loopback names, for providers on this machine without a certificate. */
const LOCAL = /^(localhost|127\.0\.0\.1|\[::1\])$/;

/** A provider's URL: https, except on the same machine. */
const Issuer = z.string().refine((text) => {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, search, hash } = new URL(text);
  return search === "" && hash === "" && (protocol === "https:" || (protocol === "http:" && LOCAL.test(hostname)));
}, "must be an https URL without a query, as the provider writes it");

const Provider = z
  .strictObject({
    id: z.string().regex(/^[a-z0-9][a-z0-9-]{0,31}$/, "must be 1 to 32 small letters, digits and hyphens"),
    name: z.string().trim().min(1).max(60),
    issuer: Issuer,
    client_id: z.string().min(1).max(500),
    client_secret: z.string().min(1).max(1000).optional(),
    client_secret_file: z.string().min(1).optional(),
    client_authentication: z.enum(["basic", "post"]).default("basic"),
    scopes: z.string().default("openid email profile").refine(hasOpenId, "must contain openid"),
    organization_id: Id.optional(),
    provision: z.enum(["never", "invited", "always"]).default("never"),
    permissions: PermissionLevel.default("Viewer"),
    groups_claim: z.string().min(1).max(200).default("groups"),
    groups: z.record(z.string().min(1).max(500), Rights).optional(),
    domains: z
      .array(
        z
          .string()
          .toLowerCase()
          .regex(/^[^@\s]+\.[^@\s]+$/, "must be the part of an address after the @"),
      )
      .min(1)
      .max(100)
      .optional(),
    trust_addresses: z.boolean().default(false),
  })
  .check(({ value, issues }) => {
    const fault = (path: string, message: string) =>
      issues.push({ code: "custom", path: [path], message, input: value });
    if (value.client_secret !== undefined && value.client_secret_file !== undefined)
      fault("client_secret", "is given twice, also by client_secret_file");
    if (value.organization_id !== undefined) return;
    if (value.provision === "always") fault("organization_id", "is needed where provision is always");
    if (value.groups !== undefined) fault("organization_id", "is needed where there are groups");
  })
  .transform(({ client_secret_file: file, ...provider }, ctx) => {
    if (file === undefined) return provider;
    const secret = textIn(file);
    if (secret !== null && secret !== "") return { ...provider, client_secret: secret };
    ctx.addIssue({ code: "custom", path: ["client_secret_file"], message: "cannot be read, or is empty" });
    return z.NEVER;
  });

function hasOpenId(scopes: string): boolean {
  return scopes.split(" ").includes("openid");
}

/** A configured provider. @see docs/access.md */
export type ProviderSettings = z.infer<typeof Provider>;

/** A JSON list of providers. */
export const ProviderList = z
  .string()
  .transform((text, ctx): unknown => {
    try {
      return JSON.parse(text);
    } catch {
      ctx.addIssue({ code: "custom", message: "must be JSON" });
      return z.NEVER;
    }
  })
  .pipe(
    z
      .array(Provider)
      .max(20)
      .refine((all) => new Set(all.map(({ id }) => id)).size === all.length, "must have unique ids"),
  );
