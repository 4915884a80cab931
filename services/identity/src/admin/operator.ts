import { userInfo } from "node:os";

/** The name of who runs this process; of a user without one, as containers have, the number. */
export function operatorName(lookUp: () => { readonly username: string } = userInfo): string {
  try {
    return lookUp().username;
  } catch {
    return `uid ${process.getuid?.() ?? "unknown"}`;
  }
}
