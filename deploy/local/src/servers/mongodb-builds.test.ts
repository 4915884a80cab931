import { describe, expect, it } from "@jest/globals";
import { archiveFor } from "./mongodb-builds.js";

const debian = 'ID=debian\nVERSION_ID="12"\n';
const rocky = 'ID="rocky"\nID_LIKE="rhel centos fedora"\nVERSION_ID="9.4"\n';
const mint = 'ID=linuxmint\nID_LIKE="ubuntu debian"\nVERSION_ID="22"\n';

describe("the choice of a MongoDB build", () => {
  it.each([
    ["linux", "x64", debian, "linux/mongodb-linux-x86_64-debian12-"],
    ["linux", "arm64", debian, "linux/mongodb-linux-aarch64-ubuntu2204-"],
    ["linux", "x64", rocky, "linux/mongodb-linux-x86_64-rhel90-"],
    ["linux", "x64", mint, "linux/mongodb-linux-x86_64-ubuntu2204-"],
    ["linux", "x64", "", "linux/mongodb-linux-x86_64-ubuntu2204-"],
    ["darwin", "arm64", "", "osx/mongodb-macos-arm64-"],
    ["darwin", "x64", "", "osx/mongodb-macos-x86_64-"],
  ] as const)("for %s on %s (%j) is %s…", (platform, arch, osRelease, path) => {
    expect(archiveFor({ platform, arch, osRelease })).toMatch(new RegExp(`^${path}\\d+\\.\\d+\\.\\d+\\.tgz$`));
  });

  it("is not guessed for unknown machines", () => {
    expect(archiveFor({ platform: "win32", arch: "x64", osRelease: "" })).toBeNull();
    expect(archiveFor({ platform: "linux", arch: "riscv64", osRelease: debian })).toBeNull();
  });
});
