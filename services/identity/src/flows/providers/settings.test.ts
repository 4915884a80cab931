import { describe, expect, it } from "@jest/globals";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ProviderList } from "./settings.js";

const good = { id: "home", name: "Home", issuer: "https://id.example.com/", client_id: "topology" };
const id = "01938c4a-7d5e-7b21-9f3c-5a1b2c3d4e5f";
const faultsOf = (...providers: readonly object[]): string[] => {
  const read = ProviderList.safeParse(JSON.stringify(providers));
  return read.success ? [] : read.error.issues.map(({ path }) => path.join("."));
};

describe("providers.settings: the configuration of providers", () => {
  it("needs few members, and then has no organization", () => {
    expect(ProviderList.parse(JSON.stringify([good]))).toEqual([
      {
        ...{ ...good, client_authentication: "basic", scopes: "openid email profile", provision: "never" },
        ...{ permissions: "Viewer", groups_claim: "groups", trust_addresses: false },
      },
    ]);
  });

  it("is accepted as docs/access.md shows it, except for missing files", () => {
    const page = readFileSync(new URL("../../../../../docs/access.md", import.meta.url), "utf8");
    const examples = [...page.matchAll(/```json\n([\s\S]*?)```/g)].map(([, text = ""]) => text);
    expect(examples.length).toBeGreaterThan(2);
    const without = (text: string): string => text.replaceAll(/"client_secret_file": "[^"]*",/g, "");
    expect(examples.map((text) => ProviderList.safeParse(without(text)).success)).not.toContain(false);
  });

  it.each([
    ["id", { id: "My Provider" }],
    ["id", { id: "" }],
    ["name", { name: " " }],
    ["issuer", { issuer: "http://id.example.com" }],
    ["issuer", { issuer: "id.example.com" }],
    ["issuer", { issuer: "https://id.example.com/?tenant=1" }],
    ["client_secret", { client_secret: "a", client_secret_file: "/nowhere" }],
    ["client_secret_file", { client_secret_file: "/nowhere/at/all" }],
    ["scopes", { scopes: "email profile" }],
    ["provision", { provision: "sometimes" }],
    ["organization_id", { provision: "always" }],
    ["organization_id", { groups: {} }],
    ["organization_id", { organization_id: "one" }],
    ["groups.admins.permissions", { organization_id: id, groups: { admins: { permissions: "Root" } } }],
    ["groups.admins", { organization_id: id, groups: { admins: { permissions: "Admin", networks: [] } } }],
    ["", { client_ID: "topology" }],
  ])("reports %s as wrong in %j", (member, wrong) => {
    const expected = member === "" ? "1" : `1.${member}`;
    expect(faultsOf({ ...good, id: "first" }, { ...good, ...wrong })).toContain(expected);
  });

  it("accepts each provider id once", () => {
    expect(faultsOf(good, good)).toEqual([""]);
    expect(ProviderList.safeParse("not json").success).toBe(false);
  });

  it("reads a secret from a file, without the trailing line break", () => {
    const folder = mkdtempSync(join(tmpdir(), "providers-"));
    try {
      writeFileSync(join(folder, "secret"), "kettle\n");
      const [provider] = ProviderList.parse(JSON.stringify([{ ...good, client_secret_file: join(folder, "secret") }]));
      expect(provider?.client_secret).toBe("kettle");
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
