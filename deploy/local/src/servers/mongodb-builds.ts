/** MongoDB's own builds, by machine. They are licensed under the Server Side Public License. */

// 7.0 opens the data of 6.0, the version of the packaged mongod (see catalogue.ts); 8.0 would refuse it.
const VERSION = "7.0.28";

/** The name of a downloaded mongod in the cache. */
export const MONGODB_BUILD = `mongodb-${VERSION}`;

export interface Machine {
  readonly platform: NodeJS.Platform;
  readonly arch: string;
  /** The content of /etc/os-release; empty if there is none. */
  readonly osRelease: string;
}

const ARCHITECTURES: Readonly<Record<string, string>> = { x64: "x86_64", arm64: "aarch64" };

/** The archive's path below the download address; null if there is none for the machine. */
export function archiveFor({ platform, arch, osRelease }: Machine): string | null {
  const architecture = ARCHITECTURES[arch];
  if (architecture === undefined) return null;
  if (platform === "darwin") return `osx/mongodb-macos-${arch === "arm64" ? "arm64" : architecture}-${VERSION}.tgz`;
  if (platform !== "linux") return null;
  return `linux/mongodb-linux-${architecture}-${distributionOf(osRelease, architecture)}-${VERSION}.tgz`;
}

/** Other distributions get the build for Ubuntu 22.04, and whether it runs is tested. */
function distributionOf(osRelease: string, architecture: string): string {
  const words = [...osRelease.matchAll(/^(?:ID|ID_LIKE)="?([^"\n]*)"?$/gm)].flatMap(([, ids = ""]) => ids.split(" "));
  const version = /^VERSION_ID="?(\d+)/m.exec(osRelease)?.[1];
  if (words[0] === "debian" && version === "12" && architecture === "x86_64") return "debian12";
  if (words.includes("rhel") && version === "9") return "rhel90";
  if (words.includes("amzn") && version === "2023") return "amazon2023";
  return "ubuntu2204";
}
