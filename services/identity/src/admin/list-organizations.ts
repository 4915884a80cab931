import type { Db } from "mongodb";
import type { OrganizationDocument } from "../model/organization.js";
import type { UserDocument } from "../model/user.js";

interface Listed extends Pick<OrganizationDocument, "_id" | "name" | "created_at"> {
  readonly users: { readonly email: string; readonly permissions: string }[];
  readonly joined: Pick<UserDocument, "email" | "other_memberships">[];
  readonly keys: { readonly count: number }[];
}

/**
 * Lists all organizations, oldest first, as tab-separated lines: id, creation date, name, number of users and API keys,
 * and email addresses of Owners.
 */
export async function* listOrganizations(db: Db): AsyncGenerator<string> {
  const found = db.collection("organizations").aggregate<Listed>([
    { $sort: { _id: 1 } },
    {
      $lookup: {
        ...{ from: "users", localField: "_id", foreignField: "organization_id", as: "users" },
        pipeline: [{ $project: { email: 1, permissions: 1 } }],
      },
    },
    {
      $lookup: {
        ...{ from: "users", localField: "_id", foreignField: "other_memberships.organization_id", as: "joined" },
        pipeline: [{ $project: { email: 1, other_memberships: 1 } }],
      },
    },
    {
      $lookup: {
        ...{ from: "api_keys", localField: "_id", foreignField: "organization_id", as: "keys" },
        pipeline: [{ $count: "count" }],
      },
    },
  ]);
  for await (const { _id, created_at, name, users: first, joined, keys } of found) {
    const users = [...first, ...joined.map((user) => asIn(user, _id))];
    const owners = users.filter(({ permissions }) => permissions === "Owner").map(({ email }) => email);
    const counts = [counted(users.length, "user"), counted(keys[0]?.count ?? 0, "key")];
    yield [_id, created_at.toISOString().slice(0, 10), name, ...counts, owners.sort().join(" ")].join("\t");
  }
}

function asIn({ email, other_memberships = [] }: Listed["joined"][number], organizationId: string) {
  const there = other_memberships.find(({ organization_id }) => organization_id === organizationId);
  return { email, permissions: there?.permissions ?? "" };
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}
