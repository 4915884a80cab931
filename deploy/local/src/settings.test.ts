import { describe, expect, it } from "@jest/globals";
import { readSettings } from "./settings.js";

describe("settings of npm start", () => {
  it("are one process of each kind on port 8080 when nothing is said", () => {
    const settings = readSettings([], {});
    expect(settings).toMatchObject({
      demo: false,
      port: 8080,
      replicas: { gateway: 1, identity: 1, topology: 1 },
      given: {},
    });
    expect(settings.dataDir).toMatch(/\.local$/);
  });

  it("mean the same with and without the second pair of dashes", () => {
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

  it.each(["gateway=0", "gateway=two", "gateway", "mongod=2", "gateway=17", "=2"])(
    "refuse the replicas %s",
    (replicas) => {
      expect(() => readSettings(["--replicas", replicas], {})).toThrow("--replicas does not understand");
    },
  );

  it.each(["0", "65536", "80.5", "-1", "http"])("refuse the port %s", (PORT) => {
    expect(() => readSettings([], { PORT })).toThrow("must be a number from 1 to 65535");
  });

  it("refuse a port that leaves no room for the other gateways", () => {
    expect(() => readSettings(["--replicas", "gateway=3"], { PORT: "65534" })).toThrow("from 1 to 65533");
  });

  it.each([["--unknown"], ["demo"], ["--replicas"]])("refuse %s and point at --help", (option) => {
    expect(() => readSettings([option], {})).toThrow("--help");
  });
});
