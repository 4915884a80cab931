import { readFile, stat } from "node:fs/promises";
import { AuthProtocols, PrivProtocols, SecurityLevel, type User } from "net-snmp";
import { z } from "zod";

// Credentials for SNMP, in a file of the collector's machine that only its owner can read. They are sent to machines, and never
// to the server.

export type SnmpCredential = { readonly community: string } | { readonly user: User };

const MOST = 10;
const OTHERS_MAY_READ = 0o077;

const Protected = z.strictObject({
  name: z.string().min(1),
  auth_protocol: z.enum(["md5", "sha", "sha224", "sha256", "sha384", "sha512"]).default("sha"),
  auth_key: z.string().min(8).optional(),
  priv_protocol: z.enum(["des", "aes", "aes256b", "aes256r"]).default("aes"),
  priv_key: z.string().min(8).optional(),
});
export const SnmpFile = z.strictObject({
  communities: z.array(z.string().min(1)).max(MOST).default([]),
  users: z.array(Protected).max(MOST).default([]),
});

/** @returns the credentials, or a sentence that says why there are none */
export async function readSnmpCredentials(path: string): Promise<readonly SnmpCredential[] | string> {
  try {
    if (((await stat(path)).mode & OTHERS_MAY_READ) !== 0) return `${path} can be read by others: chmod 600 ${path}`;
    const parsed = SnmpFile.safeParse(JSON.parse(await readFile(path, "utf8")));
    if (!parsed.success) {
      const [first] = parsed.error.issues;
      return `${path}: ${first?.path.join(".") ?? ""} is not as documented in docs/discovery.md.`;
    }
    return credentialsOf(parsed.data);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === undefined ? `${path} is not JSON.` : `${path} cannot be read (${code}).`;
  }
}

export function credentialsOf({ communities, users }: z.infer<typeof SnmpFile>): SnmpCredential[] {
  return [...communities.map((community) => ({ community })), ...users.map((one) => ({ user: userOf(one) }))];
}

function userOf(one: z.infer<typeof Protected>): User {
  const { name, auth_key: authKey, priv_key: privKey } = one;
  const auth = authKey === undefined ? {} : { authProtocol: AuthProtocols[one.auth_protocol], authKey };
  const priv = privKey === undefined ? {} : { privProtocol: PrivProtocols[one.priv_protocol], privKey };
  const level =
    authKey === undefined
      ? SecurityLevel.noAuthNoPriv
      : privKey === undefined
        ? SecurityLevel.authNoPriv
        : SecurityLevel.authPriv;
  return { name, level, ...auth, ...(authKey === undefined ? {} : priv) };
}
