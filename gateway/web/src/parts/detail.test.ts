import { describe, expect, it } from "@jest/globals";
import { detailBeside, withDetail } from "./detail.js";

describe("console.detail: the detail next to a name", () => {
  it("is omitted when it would repeat the name", () => {
    expect(detailBeside("LAN", "10.0.0.0/24")).toBe("10.0.0.0/24");
    expect(detailBeside("10.0.0.0/24", "10.0.0.0/24")).toBe("");
    expect(detailBeside("nas", null)).toBe("");
    expect(withDetail("LAN", "10.0.0.0/24")).toBe("LAN · 10.0.0.0/24");
    expect(withDetail("10.0.0.0/24", "10.0.0.0/24")).toBe("10.0.0.0/24");
  });
});
