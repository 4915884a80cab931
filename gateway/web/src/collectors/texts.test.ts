import { describe, expect, it } from "@jest/globals";
import { blocksIn, commandsFor, scheduleText, targetsText } from "./texts.js";

describe("how a collector is started", () => {
  it("names server and token in each way, and keeps the token of a service from other users of the machine", () => {
    const { program, service, container } = commandsFor("https://nts.example.com", "nts_e_1");
    expect(program).toBe("nts agent --server https://nts.example.com --token nts_e_1");
    expect(container).toContain("-e NTS_URL=https://nts.example.com -e NTS_AGENT_TOKEN=nts_e_1 ");
    expect(service.split("\n")).toEqual([
      String.raw`printf 'NTS_URL=https://nts.example.com\nNTS_AGENT_TOKEN=nts_e_1\n' | sudo install -D -m 600 /dev/stdin /etc/nts/agent.env`,
      "sudo install -m 644 /usr/local/lib/node_modules/@nts/cli/bundle/nts-agent.service /etc/systemd/system/",
      ...["daemon-reload", "enable nts-agent.service", "restart nts-agent.service"].map(
        (verb) => `sudo systemctl ${verb}`,
      ),
    ]);
  });
});

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
    expect(blocksIn(" 10.0.0.0/24,10.0.1.0/24\n10.0.2.7; ")).toEqual(["10.0.0.0/24", "10.0.1.0/24", "10.0.2.7/32"]);
    expect(blocksIn("2001:db8::7")).toEqual(["2001:db8::7/128"]);
  });
});
