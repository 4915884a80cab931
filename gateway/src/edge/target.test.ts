import type { IncomingMessage } from "node:http";
import { describe, expect, it } from "@jest/globals";
import { resolveTarget } from "./target.js";

function resolved(url: string, host: string): [string | undefined, string | undefined] {
  const request = { url, headers: { host } } as unknown as IncomingMessage;
  resolveTarget(request, "topology.example.com");
  return [request.url, request.headers.host];
}

describe("the target of a request", () => {
  it.each([
    ["http://a/api/version", "a", "/api/version", "a"],
    ["HTTPS://A:80/api/v1/hosts?limit=1", "a:80", "/api/v1/hosts?limit=1", "a:80"],
    ["http://a", "a", "/", "a"],
    ["http://a?x=1", "a", "/?x=1", "a"],
    ["https://topology.example.com/hosts", "10.0.0.1", "/hosts", "topology.example.com"],
  ])("in absolute form, %s with Host %s, is its path when it names this server", (url, host, path, expectedHost) => {
    expect(resolved(url, host)).toEqual([path, expectedHost]);
  });

  it.each([
    "http://b/api/version",
    "http://me@a/api/version",
    "ftp://a/api/version",
    "http:///api/version",
    "*",
    "/api/version",
  ])("is unchanged otherwise: %s", (url) => {
    expect(resolved(url, "a")).toEqual([url, "a"]);
  });
});
