import type { IncomingMessage } from "node:http";
import { describe, expect, it } from "@jest/globals";
import { clientAddressOf } from "./client-address.js";

function from(remoteAddress: string, forwarded?: string): IncomingMessage {
  return { socket: { remoteAddress }, headers: { "x-forwarded-for": forwarded } } as unknown as IncomingMessage;
}

describe("the address of a client", () => {
  it("is that of the connection when no proxy is trusted, whatever the client claims", () => {
    expect(clientAddressOf(from("192.0.2.1", "203.0.113.9"), 0)).toBe("192.0.2.1");
  });

  it("is IPv4 also on a dual-stack socket", () => {
    expect(clientAddressOf(from("::ffff:192.0.2.1"), 0)).toBe("192.0.2.1");
  });

  it("is the one that the outermost trusted proxy saw, and never one to the left of it", () => {
    expect(clientAddressOf(from("10.0.0.1", "6.6.6.6, 203.0.113.9"), 1)).toBe("203.0.113.9");
    expect(clientAddressOf(from("10.0.0.1", "6.6.6.6, 203.0.113.9, 10.0.0.2"), 2)).toBe("203.0.113.9");
  });

  it("is the leftmost one when there are fewer hops than trusted", () => {
    expect(clientAddressOf(from("10.0.0.1", "203.0.113.9"), 3)).toBe("203.0.113.9");
    expect(clientAddressOf(from("10.0.0.1"), 3)).toBe("10.0.0.1");
  });

  it("may carry a port", () => {
    expect(clientAddressOf(from("10.0.0.1", "203.0.113.9:4711"), 1)).toBe("203.0.113.9");
    expect(clientAddressOf(from("10.0.0.1", "[2001:db8::7]:4711"), 1)).toBe("2001:db8::7");
  });

  it("is that of the connection when the header has no address there", () => {
    expect(clientAddressOf(from("10.0.0.1", "unknown"), 1)).toBe("10.0.0.1");
  });
});
