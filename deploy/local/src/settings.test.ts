import { describe, expect, it } from "@jest/globals";
import { readSettings } from "./settings.js";

describe("settings of npm start", () => {
  it("default to one process of each kind on port 8080", () => {
    const settings = readSettings([], {});
    expect(settings).toMatchObject({
      demo: false,
      port: 8080,
      replicas: { gateway: 1, identity: 1, topology: 1 },
      given: {},
    });
    expect(settings.dataDir).toMatch(/\.local$/);
  });

  it("accept a second pair of dashes", () => {
    const direct = readSettings(["--demo", "--replicas", "gateway=2,topology=3"], {});
    const throughNpm = readSettings([], { npm_config_demo: "true", npm_config_replicas: "gateway=2,topology=3" });
    const apart = readSettings(["gateway=2,topology=3"], { npm_config_demo: "true", npm_config_replicas: "true" });
    expect(throughNpm).toEqual(direct);
    expect(apart).toEqual(direct);
    expect(direct.replicas).toEqual({ gateway: 2, identity: 1, topology: 3 });
  });

  it("treat an empty variable as absent", () => {
    expect(readSettings([], { PORT: "", DATA_DIR: "", MONGODB_URL: "" })).toEqual(readSettings([], {}));
  });

  it.each(["gateway=0", "gateway=two", "gateway", "mongod=2", "gateway=17", "=2"])("reject %s replicas", (replicas) => {
    expect(() => readSettings(["--replicas", replicas], {})).toThrow("--replicas does not understand");
  });

  it.each(["0", "65536", "80.5", "-1", "http"])("reject the port %s", (PORT) => {
    expect(() => readSettings([], { PORT })).toThrow("must be a number from 1 to 65535");
  });

  it("reject a port that leaves no room for the other gateways", () => {
    expect(() => readSettings(["--replicas", "gateway=3"], { PORT: "65534" })).toThrow("from 1 to 65533");
  });

  it.each([["--unknown"], ["demo"], ["--replicas"]])("reject %s and point to --help", (option) => {
    expect(() => readSettings([option], {})).toThrow("--help");
  });
});
