import { describe, expect, it } from "@jest/globals";
import { EventEmitter } from "node:events";
import type { MongoClient } from "mongodb";
import { followOnlyPrimary } from "./only-primary.js";

const MEMBER = "mongo-1:27017";
const OTHERS = ["mongo-2:27017", "mongo-3:27017"];

describe("the only possible primary", () => {
  it.each([
    ["the primary of a set of one member", "RSPrimary", [MEMBER], true],
    ["a primary that others could replace", "RSPrimary", [MEMBER, ...OTHERS], false],
    ["a member that is not the primary", "RSSecondary", [MEMBER], false],
    ["a router of a sharded cluster", "Mongos", [], false],
    ["a server that does not respond", "Unknown", [], false],
  ])("%s: %s", (_what, type, hosts, expected) => {
    const client = new EventEmitter();
    const isOnly = followOnlyPrimary(client as MongoClient);
    expect(isOnly()).toBe(false);
    client.emit("serverDescriptionChanged", { newDescription: { type, hosts } });
    expect(isOnly()).toBe(expected);
  });

  it("is not the only one any more when its set grows", () => {
    const client = new EventEmitter();
    const isOnly = followOnlyPrimary(client as MongoClient);
    for (const hosts of [[MEMBER], [MEMBER, ...OTHERS]])
      client.emit("serverDescriptionChanged", { newDescription: { type: "RSPrimary", hosts } });
    expect(isOnly()).toBe(false);
  });
});
