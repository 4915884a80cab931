/** Identity with its audit log, and a cheap password hash. */
import type { AppOptions } from "@nts/identity/app";
import { type AuditEntry, listAudit } from "@nts/shared/contract/audit";
import { hashCredential } from "@nts/shared/credential";
import type { DirectResponse, DirectRequest, Person } from "./direct.js";
import { type Identity, startIdentity } from "./identity.js";

type Query = NonNullable<DirectRequest<typeof listAudit>["query"]>;
type Reader = Pick<Person, "principal">;

export interface Audited extends Identity {
  list(reader: Reader, query?: Query): Promise<DirectResponse<AuditEntry[]>>;
  /** Up to a thousand entries. @throws Error when it is rejected */
  entriesOf(reader: Reader, query?: Query): Promise<AuditEntry[]>;
  /** The same as texts, such as `User created`. */
  actionsOf(reader: Reader, query?: Query): Promise<string[]>;
}

/** Starts two replicas. @param own options of each replica */
export async function startAudited(...own: readonly Partial<AppOptions>[]): Promise<Audited> {
  const stored = (password: string): string => `$argon2 of ${hashCredential(password)}`;
  const passwords = {
    hash: (password: string) => Promise.resolve(stored(password)),
    matches: (hash: string | null, password: string) => Promise.resolve(hash === stored(password)),
    close: () => Promise.resolve(),
  };
  const identity = await startIdentity({ replicas: [0, 1].map((at) => ({ passwords, ...own[at] })) });
  const list: Audited["list"] = ({ principal }, query = {}) => identity.send(listAudit, { as: principal, query });
  const entriesOf: Audited["entriesOf"] = async (reader, query = {}) => {
    const { status, data, text } = await list(reader, { limit: 1000, ...query });
    if (status !== 200) throw new Error(text);
    return data;
  };
  return {
    ...identity,
    list,
    entriesOf,
    actionsOf: async (reader, query) =>
      (await entriesOf(reader, query)).map(({ action, entity }) => `${entity} ${action}`),
  };
}
