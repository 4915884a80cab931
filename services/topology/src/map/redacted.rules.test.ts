import { describe, expect, it } from "@jest/globals";
import { redacted } from "./redacted.rules.js";

describe("a text without addresses", () => {
  it.each([
    ["10.20.30.40", "…"],
    ["nas (10.0.0.0/24)", "nas (…)"],
    ["ip-10-0-0-5.compute", "ip-….compute"],
    ["fe80::1%eth0 and 2001:db8::ff/64", "… and …"],
    ["::1", "…"],
    ["::ffff:10.0.0.1", "…"],
    ["nginx 1.26.0", "nginx 1.26.0"],
    ["rack 3, port 443", "rack 3, port 443"],
    ["https://wiki", "https://wiki"],
    ["std::vector", "std::vector"],
  ])("%s becomes %s", (text, rest) => {
    expect(redacted(text, ["addresses"])).toBe(rest);
    expect(redacted(text, [])).toBe(text);
  });
});

describe("a text without MAC addresses", () => {
  it.each([
    ["02:00:00:00:00:77", "…"],
    ["camera 02-00-00-aa-bb-cc", "camera …"],
    ["0200.0000.0077", "…"],
    ["esp-0200aabbccdd", "esp-…"],
    ["deadbeefcafe", "deadbeefcafe"],
    ["10.0.0.1", "10.0.0.1"],
  ])("%s becomes %s", (text, rest) => {
    expect(redacted(text, ["macs"])).toBe(rest);
  });
});
