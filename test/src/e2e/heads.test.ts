/** HEAD through the gateway: the head of what GET would return. */
import { beforeAll, describe, expect, it } from "@jest/globals";
import { KIND_NAMES, pluralOf } from "@nts/shared/contract";
import { type Account, anAccount } from "../support/api.js";
import { sharedStack } from "../support/shared-stack.js";

const LISTS = [...KIND_NAMES.map(pluralOf), "bindings"];

let account: Account;
beforeAll(async () => {
  account = await anAccount((await sharedStack()).url);
});

describe("HEAD of a list", () => {
  it.each(LISTS)("of %s has status and type of GET, for a page and for all, now and in the past", async (list) => {
    const { session } = account;
    const asOf = new Date().toISOString();
    for (const query of ["", "?limit=0", `?limit=0&as_of=${asOf}`]) {
      const path = `/api/v1/${list}${query}`;
      const got = await session.send("get", path);
      const head = await session.send("head", path);
      const seen = ({ status, headers }: typeof got) => [path, status, headers.get("content-type")];
      expect(seen(head)).toEqual(seen(got));
      expect(head.text).toBe("");
    }
  });
});
