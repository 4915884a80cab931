import { describe, expect, it } from "@jest/globals";
import { canonicalAddress, socketIn, socketText } from "./sockets.rules.js";

const socket = (address: string | null, port: number, protocol: "Tcp" | "Udp" | null = null): object => ({
  address,
  port,
  protocol,
});

describe("sockets as people write them", () => {
  it.each([
    ["10.20.10.5:443", socket("10.20.10.5", 443)],
    [" 10.20.10.5:53/UDP ", socket("10.20.10.5", 53, "Udp")],
    ["[fd00::5]:443", socket("fd00::5", 443)],
    ["[::ffff:10.0.0.1]:22", socket("::ffff:10.0.0.1", 22)],
    [":443", socket(null, 443)],
    [":443/tcp", socket(null, 443, "Tcp")],
    ["443/tcp", socket(null, 443, "Tcp")],
  ])("%j names a port", (text, expected) => {
    expect(socketIn(text)).toEqual(expected);
  });

  it.each([
    "443",
    "10.0.0.5",
    "10.0.0.256:443",
    "10.0.0.05:443",
    "10.0.0:443",
    "fd00::5:443",
    "[fd00::5]",
    "[10.0.0.5]:443",
    "[1:2]:443",
    ":0",
    ":65536",
    "web:443",
    ":443x",
    "443/sctp",
    "",
  ])("%j is any other text", (text) => {
    expect(socketIn(text)).toBeNull();
  });

  it("have brackets around IPv6", () => {
    expect([socketText("10.0.0.5", 443), socketText("fd00::5", 443)]).toEqual(["10.0.0.5:443", "[fd00::5]:443"]);
  });

  it("have one form for each address", () => {
    const texts = ["FD00:0:0::5", "fd00::5", "10.0.0.5"];
    expect(texts.map(canonicalAddress)).toEqual(["fd00::5", "fd00::5", "10.0.0.5"]);
  });
});
