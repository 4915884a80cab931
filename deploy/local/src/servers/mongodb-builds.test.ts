import { describe, expect, it } from "@jest/globals";
import { archiveFor, MONGODB_SHA256 } from "./mongodb-builds.js";

describe("the choice of a MongoDB build", () => {
  it.each([
    ["linux", "x64", "linux/mongodb-linux-x86_64-ubuntu2204-"],
    ["linux", "arm64", "linux/mongodb-linux-aarch64-ubuntu2204-"],
    ["darwin", "arm64", "osx/mongodb-macos-arm64-"],
    ["darwin", "x64", "osx/mongodb-macos-x86_64-"],
  ] as const)("for %s on %s is %s…", (platform, arch, path) => {
    expect(archiveFor({ platform, arch })).toMatch(new RegExp(`^${path}\\d+\\.\\d+\\.\\d+\\.tgz$`));
  });

  it("is not guessed for unknown machines", () => {
    expect(archiveFor({ platform: "win32", arch: "x64" })).toBeNull();
    expect(archiveFor({ platform: "linux", arch: "riscv64" })).toBeNull();
  });

  it("has pinned checksums, which are those of the builds that are chosen", () => {
    const chosen = (["linux", "darwin"] as const).flatMap((platform) =>
      ["x64", "arm64"].map((arch) => archiveFor({ platform, arch })),
    );
    expect(Object.keys(MONGODB_SHA256).filter((path) => !chosen.includes(path))).toEqual([]);
    for (const sha256 of Object.values(MONGODB_SHA256)) expect(sha256).toMatch(/^[0-9a-f]{64}$/);
  });
});
