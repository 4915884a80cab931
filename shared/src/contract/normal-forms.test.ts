import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { Id, Name, Tags, text, verbatimText, Virtualization } from "./common.js";
import { InterfaceCreate } from "./interfaces.js";
import { UserApiKeyInput } from "./keys.js";

const ID = "01938c4a-7d5e-7b21-9f3c-5a1b2c3d4e5f";
const accepts = (schema: { safeParse(value: unknown): { success: boolean } }, value: unknown): boolean =>
  schema.safeParse(value).success;

describe("Id: a UUID in any notation", () => {
  it.each([
    ID,
    ID.toUpperCase(),
    ID.replaceAll("-", ""),
    `{${ID}}`,
    `urn:uuid:${ID}`,
    `URN:UUID:${ID.toUpperCase()}`,
    `{${ID.replaceAll("-", "").toUpperCase()}}`,
  ])("normalizes %s to its canonical form", (given) => {
    expect(Id.parse(given)).toBe(ID);
  });

  it.each([
    "",
    "abc",
    ID.slice(1),
    `${ID}0`,
    `{${ID}`,
    `${ID}}`,
    ID.replace("0", "g"),
    ` ${ID}`,
    `${ID}\n`,
    `urn:${ID}`,
    ID.replaceAll("-", "_"),
    7,
    null,
  ])("rejects %j", (given) => {
    expect(accepts(Id, given)).toBe(false);
  });

  it("accepts any version: the nil and the max UUID are ids too", () => {
    expect(accepts(Id, "00000000-0000-0000-0000-000000000000")).toBe(true);
    expect(accepts(Id, "ffffffff-ffff-ffff-ffff-ffffffffffff")).toBe(true);
  });

  it("accepts every UUID", () => {
    fc.assert(fc.property(fc.uuid(), (id) => Id.parse(id.toUpperCase()) === id));
  });
});

describe("text: names", () => {
  it("are trimmed", () => {
    expect(Name.parse("  web server \u00a0\n")).toBe("web server");
  });

  it("have their length checked after trimming and in characters, not in bytes or surrogates", () => {
    expect(accepts(Name, "")).toBe(false);
    expect(accepts(Name, "   ")).toBe(false);
    expect(accepts(Name, ` ${"x".repeat(100)} `)).toBe(true);
    expect(accepts(Name, "x".repeat(101))).toBe(false);
    expect(accepts(Name, "😀".repeat(100))).toBe(true);
    expect(accepts(Name, "😀".repeat(101))).toBe(false);
  });

  it.each(["a\u0000b", "a\nb", "a\tb", "a\u007fb", "a\u0085b", "a\ud800b", "a\udc00"])("reject %j inside", (given) => {
    expect(accepts(Name, given)).toBe(false);
  });

  it("may be empty where that is allowed, and are unchanged where they are verbatim", () => {
    expect(text(0, 5).parse("  ")).toBe("");
    expect(verbatimText(1, 5).parse(" a ")).toBe(" a ");
    expect(accepts(verbatimText(1, 5), "a\n")).toBe(false);
  });

  it("survive a round trip through JSON and UTF-8", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 60 }), (given) => {
        const result = text(0, 100).safeParse(given);
        if (!result.success) return;
        expect(Buffer.from(JSON.stringify(result.data)).toString()).toBe(JSON.stringify(result.data));
        expect(text(0, 100).parse(result.data)).toBe(result.data);
      }),
    );
  });
});

describe("tags: ids of managed tags, or free labels", () => {
  it("are trimmed and deduplicated, keeping the first position", () => {
    expect(Tags.parse([" prod", "web", "prod ", "web"])).toEqual(["prod", "web"]);
  });

  it("distinguish labels by case, and ids not", () => {
    expect(Tags.parse(["Prod", "prod", ID, ID.toUpperCase(), `{${ID}}`])).toEqual(["Prod", "prod", ID]);
  });

  it("are at most 50, of 1 to 50 characters each", () => {
    const labels = Array.from({ length: 51 }, (_, n) => `label ${n}`);
    expect(accepts(Tags, labels.slice(1))).toBe(true);
    expect(accepts(Tags, labels)).toBe(false);
    expect(accepts(Tags, ["x".repeat(50)])).toBe(true);
    expect(accepts(Tags, ["x".repeat(51)])).toBe(false);
    expect(accepts(Tags, [" "])).toBe(false);
  });
});

describe("MAC address: one form for any usual notation", () => {
  const parse = (mac_address: unknown): unknown =>
    InterfaceCreate.parse({ host_id: ID, network_id: ID, subnet_id: ID, ip_address: "10.0.0.1", mac_address })
      .mac_address;

  it.each([
    "AA:BB:CC:DD:EE:0F",
    "aa:bb:cc:dd:ee:0f",
    "aa-bb-cc-dd-ee-0f",
    "aabb.ccdd.ee0f",
    "aabbccddee0f",
    " AABBCCDDEE0F ",
    "aa:bb:cc:dd:ee:f",
    "aabb-ccdd-ee0f",
    "aabbcc-ddee0f",
  ])("normalizes %j to AA:BB:CC:DD:EE:0F", (given) => {
    expect(parse(given)).toBe("AA:BB:CC:DD:EE:0F");
  });

  it("adds the leading zeros that BSD and macOS omit", () => {
    expect(["0:1b:44:11:3a:b7", "a:b:c:d:e:f"].map(parse)).toEqual(["00:1B:44:11:3A:B7", "0A:0B:0C:0D:0E:0F"]);
  });

  it.each([
    "",
    "aa:bb:cc:dd:ee",
    "aa:bb:cc:dd:ee:0f:11",
    "aa:bb:cc:dd:ee:gg",
    "aa-bb:cc-dd:ee-0f",
    "a-b-c-d-e-f",
    "aabb:ccdd:ee0f",
    "aabb-ccdd.ee0f",
    "aabb-ccddee0f",
    "0aa:b:c:d:e:f",
    "::c:d:e:f",
    12,
  ])("rejects %j", (given) => {
    expect(() => parse(given)).toThrow();
  });

  it("may be null or absent", () => {
    expect([parse(null), parse(undefined)]).toEqual([null, undefined]);
  });
});

describe("IP address: written in full", () => {
  const withAddress = (ip_address: string): unknown => ({ host_id: ID, network_id: ID, subnet_id: ID, ip_address });

  it.each(["10.0.0.1", "::", "2001:DB8::1", "::ffff:10.0.0.1"])("accepts %s", (given) => {
    expect(accepts(InterfaceCreate, withAddress(given))).toBe(true);
  });

  it.each([
    "10.0.0",
    "010.0.0.1",
    "0x0a.0.0.1",
    "167772161",
    "10.0.0.256",
    "10.0.0.1/24",
    "2001:db8::1::",
    "fe80::1%eth0",
    "[::1]",
    "localhost",
    "",
  ])("rejects %j", (given) => {
    expect(accepts(InterfaceCreate, withAddress(given))).toBe(false);
  });
});

describe("virtualization: free details of bounded size", () => {
  it("has a type, and optional details", () => {
    expect(Virtualization.parse({ type: "container" })).toEqual({ type: "container", details: {} });
    expect(accepts(Virtualization, { details: {} })).toBe(false);
  });

  it("accepts at most 16 KiB of details", () => {
    expect(accepts(Virtualization, { type: "vm", details: { a: "x".repeat(16_384 - 8) } })).toBe(true);
    expect(accepts(Virtualization, { type: "vm", details: { a: "x".repeat(16_384 - 7) } })).toBe(false);
  });

  it("measures its details in bytes, not in characters", () => {
    expect(accepts(Virtualization, { type: "vm", details: { a: "é".repeat(8_192 - 4) } })).toBe(true);
    expect(accepts(Virtualization, { type: "vm", details: { a: "é".repeat(8_192 - 3) } })).toBe(false);
  });

  it("accepts only a JSON object without anything that JSON cannot express", () => {
    for (const details of [[], "x", 7, { a: Infinity }, { a: [NaN] }])
      expect(accepts(Virtualization, { type: "vm", details })).toBe(false);
  });
});

describe("timestamps: UTC with milliseconds", () => {
  const { expires_at: Moment } = UserApiKeyInput.shape;

  it.each([
    ["2026-01-31T09:30:00Z", "2026-01-31T09:30:00.000Z"],
    ["2026-01-31T09:30:00.5+01:30", "2026-01-31T08:00:00.500Z"],
  ])("normalize %s to %s", (given, written) => {
    expect(Moment.parse(given)).toBe(written);
  });

  it.each([
    "",
    "AAA",
    "2026-01-31",
    "2026-01-31T09:30:00",
    "2026-02-30T00:00:00Z",
    "2026-01-31T24:00:00Z",
    "9999-12-31T23:59:59-01:00",
    1_800_000_000,
  ])("reject %j", (given) => {
    expect(accepts(Moment, given)).toBe(false);
  });
});
