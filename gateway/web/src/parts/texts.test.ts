import { describe, expect, it } from "@jest/globals";
import { CATEGORIES } from "@nts/shared/contract";
import { categoryText, changeActionText, entityName, portTypeText, subnetTypeOf, subnetTypeText } from "./texts.js";

describe("names of the API", () => {
  it("are shown as words, and abbreviations as they are written", () => {
    const texts = new Map(CATEGORIES.map((category) => [category, categoryText(category)]));
    expect([texts.get("IdentityAndAccess"), texts.get("AdBlock"), texts.get("IoT"), texts.get("DNS")]).toEqual([
      "Identity and access",
      "Ad block",
      "IoT",
      "DNS",
    ]);
    expect(["Dmz", "Rack 1"].map(subnetTypeText)).toEqual(["DMZ", "Rack 1"]);
    expect(["Https", "MySql", "Redis", "IpsecNatTraversal"].map(portTypeText)).toEqual([
      "HTTPS",
      "MySQL",
      "Redis",
      "IPsec NAT traversal",
    ]);
    expect(["DMZ", "Rack 1"].map(subnetTypeOf)).toEqual(["Dmz", "Rack 1"]);
  });

  it("are one word for what imports do not find", () => {
    expect((["created", "missed", "returned"] as const).map(changeActionText)).toEqual([
      "created",
      "not seen",
      "seen again",
    ]);
  });

  it("are those of ports in the notation of all ports", () => {
    expect([entityName({ entity: "Port", name: "443/Tcp" }), entityName({ entity: "Host", name: "NAS" })]).toEqual([
      "443/tcp",
      "NAS",
    ]);
  });
});
