import { describe, expect, it } from "@jest/globals";
import { settingFaults, withoutCredentials } from "./exposure.rules.js";

const GOOD = {
  MONGODB_URL: "mongodb://u:p@mongodb/",
  PUBLIC_URL: "https://topology.example.com",
  INSECURE_HTTP: "no",
  REGISTRATION: "first",
  TRUST_PROXY_HOPS: "1",
  REDIS_URL: "redis://:p@redis:6379",
  NATS_URL: "nats://u:p@one:4222,nats://two:4222",
  secrets: {
    GATEWAY_TO_IDENTITY_SECRETS: "8f14e45fceea167a5a36dedd4bea2543",
    GATEWAY_TO_TOPOLOGY_SECRETS: "c9f0f895fb98ab9159f51fd0297e236d,8f14e45fceea167a5a36dedd4bea2543",
  },
};
const faulty = (settings: object): string[] =>
  settingFaults({ ...GOOD, ...settings })
    .filter(({ fault }) => fault !== null)
    .map(({ what }) => what);

describe("admin.exposure: settings", () => {
  it("are fine when they are meant for others, or unknown", () => {
    expect(faulty({})).toEqual([]);
    expect(settingFaults({ MONGODB_URL: "", secrets: {} })).toEqual([{ what: "secrets differ", fault: null }]);
  });

  it("are named when they fail silently", () => {
    expect(faulty({ PUBLIC_URL: "http://localhost:8080" })).toEqual(["PUBLIC_URL is what users open"]);
    expect(faulty({ INSECURE_HTTP: "yes" })).toEqual(["plain http is not accepted"]);
    expect(faulty({ REGISTRATION: "open" })).toEqual(["not everybody can register"]);
    expect(faulty({ TRUST_PROXY_HOPS: "0" })).toEqual(["clients are told apart behind the proxy"]);
    expect(faulty({ REDIS_URL: "redis://redis:6379" })).toEqual(["Redis requires a password"]);
    expect(faulty({ NATS_URL: "nats://one:4222,nats://u:p@two:4222" })).toEqual(["NATS requires a password"]);
    expect(faulty({ secrets: { ONE: "change-me-change-me-change-me-change-me" } })).toEqual(["ONE is secret"]);
    const one = GOOD.secrets.GATEWAY_TO_IDENTITY_SECRETS;
    expect(faulty({ secrets: { ONE: one, TWO: one } })).toEqual(["secrets differ"]);
  });

  it("of MongoDB are asked for without everything that signs in", () => {
    const options = "replicaSet=rs0&authSource=admin&authMechanism=SCRAM-SHA-256&tls=true";
    expect(withoutCredentials(`mongodb://u:p%40w@one:1,two:2/identity?${options}`)).toBe(
      "mongodb://one:1,two:2/identity?replicaSet=rs0&tls=true",
    );
    expect(withoutCredentials("mongodb+srv://u:p@example.com/?authSource=a")).toBe("mongodb+srv://example.com/");
    expect(withoutCredentials("mongodb://localhost")).toBe("mongodb://localhost");
  });
});
