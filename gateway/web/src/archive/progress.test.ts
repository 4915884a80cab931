import { describe, expect, it } from "@jest/globals";
import { progressIn } from "./progress.js";

const counts = { Tag: 1, Network: 1, Subnet: 2, Host: 20, Interface: 40, Port: 36, Service: 0 };
const head = `{"success":true,"data":{"dry_run":true,"archive":{"organization_id":"a","counts":${JSON.stringify(counts)}},"progress":[`;

describe("the progress of an import", () => {
  it("is unknown before the head of the response has arrived", () => {
    expect(["", head.slice(0, -1), '{"success":false'].map(progressIn)).toEqual([null, null, null]);
  });

  it("is the last complete number, relative to the size of the file", () => {
    const done = ["", "0", "0,", "0,25", "0,25,7"].map((steps) => progressIn(head + steps)?.done);
    expect(done).toEqual([0, 0, 0, 0, 25]);
    expect(progressIn(`${head}0,25],"failed":[`)).toEqual({ done: 100, total: 100 });
  });
});
