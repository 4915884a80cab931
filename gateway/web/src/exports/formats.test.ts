import { describe, expect, it } from "@jest/globals";
import { type Chosen, exportFileName, exportPath } from "./formats.js";

const chosen: Chosen = {
  ...{ format: "ansible", networkId: null, tags: [], roles: [], attribute: "" },
  ...{ zone: "home.example", resource: "ports", table: "devices" },
};

describe("the path of an export", () => {
  it("contains the parameters of the format and the filters", () => {
    expect(exportPath(chosen)).toBe("/api/v1/exports/ansible");
    expect(exportPath({ ...chosen, networkId: "n", tags: ["a", "b"] })).toBe(
      "/api/v1/exports/ansible?network_id=n&tag_ids=a&tag_ids=b",
    );
    expect(exportPath({ ...chosen, roles: ["Nas"], attribute: "rack:A,3 " })).toBe(
      "/api/v1/exports/ansible?role=Nas&attribute=rack%3AA%5C%2C3",
    );
    expect(exportPath({ ...chosen, format: "csv" })).toBe("/api/v1/exports/csv?resource=ports");
    expect(exportPath({ ...chosen, format: "netbox" })).toBe("/api/v1/exports/netbox?table=devices");
    expect(exportPath({ ...chosen, format: "dns", zone: " a&b.example " })).toBe(
      "/api/v1/exports/dns?zone=a%26b.example",
    );
  });

  it("is absent for a zone without a name", () => {
    expect(exportPath({ ...chosen, format: "dns", zone: " " })).toBeNull();
  });
});

describe("the file name of an export", () => {
  it("is the conventional one of its format, and for a table that of its rows", () => {
    expect([exportFileName(chosen), exportFileName({ ...chosen, format: "csv" })]).toEqual([
      "inventory.json",
      "ports.csv",
    ]);
  });
});
