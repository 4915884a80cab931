/** MongoDB's own builds, by machine. They are licensed under the Server Side Public License. */

// 7.0 opens the data of 6.0, the version of the packaged mongod (see catalogue.ts); 8.0 would refuse it.
const VERSION = "7.0.30";

/** The name of a downloaded mongod in the cache. */
export const MONGODB_BUILD = `mongodb-${VERSION}`;

/**
 * The SHA-256 of each archive that is downloaded. Archives that are not listed are refused. `npm run pins:mongodb`
 * prints this table for a version, from archives whose signature it has checked.
 */
export const MONGODB_SHA256: Readonly<Record<string, string>> = {
  [`linux/mongodb-linux-x86_64-ubuntu2204-${VERSION}.tgz`]:
    "2a6eb856a481a8bca47601a1ad62d26a58adf1999f1a023595de42f94f900d2a",
  [`osx/mongodb-macos-arm64-${VERSION}.tgz`]: "6c6c6fcfc38e025d48e99c6f5892a9e6aa8012ccb08ce247787936423d634dd1",
  [`osx/mongodb-macos-x86_64-${VERSION}.tgz`]: "ffa5601697ae71f826c4c64703649850269df9e55f02a17d8019fd111d47bbd4",
};

export interface Machine {
  readonly platform: NodeJS.Platform;
  readonly arch: string;
}

const ARCHITECTURES: Readonly<Record<string, string>> = { x64: "x86_64", arm64: "aarch64" };

/**
 * The archive's path below the download address; null if there is none for the machine. Every Linux gets the build for
 * Ubuntu 22.04, and whether it runs is tested.
 */
export function archiveFor({ platform, arch }: Machine, version = VERSION): string | null {
  const architecture = ARCHITECTURES[arch];
  if (architecture === undefined) return null;
  if (platform === "darwin") return `osx/mongodb-macos-${arch === "arm64" ? "arm64" : architecture}-${version}.tgz`;
  if (platform !== "linux") return null;
  return `linux/mongodb-linux-${architecture}-ubuntu2204-${version}.tgz`;
}
