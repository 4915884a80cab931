import { describe, expect, it } from "@jest/globals";
import { blocksIn, scheduleText, targetsText } from "./texts.js";

describe("what a collector does", () => {
  it("is said in words, with the time zone where it is another one", () => {
    const text = (cron: string): string => scheduleText({ cron, time_zone: "Europe/Berlin" }, "UTC");
    expect(["*/15 * * * *", "0 * * * *", "7 * * * *", "0 */6 * * *", "5 3 * * *", "* * * * *"].map(text)).toEqual([
      ...["every 15 minutes", "every hour", "every hour at minute 7", "every 6 hours"],
      ...["every day at 03:05, Europe/Berlin", "every minute"],
    ]);
    expect(text("0 3 * * 1-5")).toBe("cron 0 3 * * 1-5, Europe/Berlin");
    expect(scheduleText({ cron: "5 3 * * *", time_zone: "UTC" }, "UTC")).toBe("every day at 03:05");
    expect(scheduleText(null, "UTC")).toBe("only on request");
  });

  it("names where it looks, in whatever form that was written", () => {
    expect(targetsText({ cidrs: [], exclude: ["10.0.0.66/32"] })).toBe("the links of its machine without 10.0.0.66/32");
    expect(blocksIn(" 10.0.0.0/24,10.0.1.0/24\n10.0.2.0/24; ")).toEqual(["10.0.0.0/24", "10.0.1.0/24", "10.0.2.0/24"]);
  });
});
