import { describe, expect, it } from "@jest/globals";
import { z } from "zod";
import { readConfig } from "./config.js";
import { checkPublicUrl, InsecureHttp, isLoopback } from "./exposure.js";

const Settings = z
  .object({ HOST: z.string().default("127.0.0.1"), PUBLIC_URL: z.string().optional(), INSECURE_HTTP: InsecureHttp })
  .check(checkPublicUrl);

describe("exposure: an http PUBLIC_URL", () => {
  const http = "http://topology.example.com";

  it("is accepted on loopback, and elsewhere only if INSECURE_HTTP says so", () => {
    for (const HOST of ["127.0.0.1", "127.8.9.1", "::1", "localhost"])
      expect(readConfig(Settings, { HOST, PUBLIC_URL: http }).INSECURE_HTTP).toBe("no");
    for (const HOST of ["0.0.0.0", "::", "192.0.2.1", "topology"]) {
      expect(() => readConfig(Settings, { HOST, PUBLIC_URL: http })).toThrow(/PUBLIC_URL: is http.*INSECURE_HTTP=yes/);
      expect(readConfig(Settings, { HOST, PUBLIC_URL: http, INSECURE_HTTP: "yes" }).HOST).toBe(HOST);
      expect(readConfig(Settings, { HOST, PUBLIC_URL: "https://topology.example.com" }).HOST).toBe(HOST);
      expect(readConfig(Settings, { HOST }).HOST).toBe(HOST);
    }
  });

  it("is judged by the address, in any spelling", () => {
    expect(["[::1]", "nts.localhost"].map(isLoopback)).toEqual([true, true]);
    expect(["localhost.example.com", "128.0.0.1", "::ffff:1.2.3.4"].map(isLoopback)).toEqual([false, false, false]);
  });
});
