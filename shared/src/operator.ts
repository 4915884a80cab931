import { userInfo } from "node:os";

/** Name of the process owner; the uid if it has none, as in containers. */
export function operatorName(lookUp: () => { readonly username: string } = userInfo): string {
  try {
    return lookUp().username;
  } catch {
    return `uid ${process.getuid?.() ?? "unknown"}`;
  }
}
