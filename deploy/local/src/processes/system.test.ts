import { describe, expect, it } from "@jest/globals";
import { createSecrets } from "../secrets.js";
import { createProcess, type System } from "./system.js";

describe("processes.system: identity", () => {
  const registrationAt = (publicUrl: string, environment: NodeJS.ProcessEnv = {}): string | undefined => {
    const system: System = {
      ...{ dataDir: "/data", secrets: createSecrets(), publicUrl, environment, identityUrls: [], topologyUrls: [] },
      databases: { identity: "identity", topology: "topology" },
      servers: { mongodb: "", redis: "", nats: { gateway: "", identity: "", topology: "" } },
    };
    return createProcess("identity", "identity-1", { port: 1, opsPort: 2 }, system).env["REGISTRATION"];
  };

  it("lets anyone register on this machine, and only the first one where a proxy lets others in", () => {
    expect(
      ["http://localhost:8080", "http://127.0.0.1:8080", "http://[::1]:8080"].map((url) => registrationAt(url)),
    ).toEqual(["open", "open", "open"]);
    expect(registrationAt("https://topology.example.com")).toBe("first");
    expect(registrationAt("https://topology.example.com", { REGISTRATION: "" })).toBe("first");
    expect(registrationAt("https://topology.example.com", { REGISTRATION: "open" })).toBe("open");
    expect(registrationAt("http://localhost:8080", { REGISTRATION: "invite" })).toBe("invite");
  });
});
