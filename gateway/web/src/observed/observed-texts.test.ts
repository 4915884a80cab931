import { describe, expect, it } from "@jest/globals";
import { certificateState, productText, systemText } from "./observed-texts.js";

const said = { by: "nmap", since: "2026-01-01T00:00:00.000Z" };
const text = (value: string) => ({ value, ...said });

describe("what sources say, as text", () => {
  it.each([
    [{ product: text("nginx"), version: text("1.26.0") }, "nginx 1.26.0"],
    [{ product: text("nginx"), version: null }, "nginx"],
    [{ product: null, version: null }, ""],
  ])("shows product and version: %j", (observed, shown) => {
    expect(productText({ ...observed, cpe: null, confidence: null })).toBe(shown);
  });

  it.each([
    [{ name: "Linux 5.4", version: "5.X", accuracy: 96 }, "Linux 5.4 (96 %)"],
    [{ name: "Ubuntu", version: "22.04", accuracy: null }, "Ubuntu 22.04"],
    [{ name: "Debian 12", version: "12", accuracy: null }, "Debian 12"],
  ])("shows an operating system: %j", (os, shown) => {
    expect(systemText({ ...os, cpe: null, ...said })).toBe(shown);
  });

  it("tells certificates that have ended, and those that end soon", () => {
    const now = Date.parse("2026-02-01T00:00:00.000Z");
    const states = ["2026-01-31", "2026-02-15", "2027-01-01"].map((day) =>
      certificateState(`${day}T00:00:00.000Z`, now),
    );
    expect(states).toEqual(["ended", "ending", "valid"]);
  });
});
