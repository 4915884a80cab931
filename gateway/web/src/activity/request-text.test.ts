import { describe, expect, it } from "@jest/globals";
import type { Change } from "@nts/shared/contract";
import { doingsOf } from "./request-text.js";

const entry = (action: Change["action"], entity: Change["entity"], name = "x") => ({ action, entity, name });

describe("what one request did", () => {
  it("is named if it concerns one thing, with what else belongs to it", () => {
    const made = [
      entry("created", "Service", "web"),
      entry("created", "Host", "nas"),
      entry("created", "Port", "443/Tcp"),
      entry("created", "Service", "ssh"),
    ];
    expect(doingsOf(made)).toEqual([
      { action: "created", entity: "Host", name: "nas", rest: "with 1 port and 2 services" },
    ]);
    expect(doingsOf([entry("updated", "Port", "443/Tcp")])).toEqual([
      { action: "updated", entity: "Port", name: "443/tcp", rest: "" },
    ]);
  });

  it("is counted if it concerns several, by action", () => {
    const hosts = Array.from({ length: 1_200 }, () => entry("created", "Host"));
    const all = [entry("deleted", "Service", "old"), ...hosts, entry("created", "Interface")];
    expect(doingsOf(all)).toEqual([
      { action: "created", entity: "Host", name: null, rest: "1,200 hosts and 1 interface" },
      { action: "deleted", entity: "Service", name: "old", rest: "" },
    ]);
  });
});
