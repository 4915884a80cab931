import { importNmap } from "@nts/shared/contract";
import { answer } from "@nts/shared/http/answer";
import { mount, type Router } from "@nts/shared/http/mount";
import type { Storage } from "../storage/storage.js";
import { importScan } from "../imports/import.js";
import type { ImportDesk } from "../imports/desk.js";

export function mountImports(router: Router, storage: Storage, desk: ImportDesk): void {
  mount(router, importNmap, ({ work, scope, query, body: file, log }) => {
    const { network_id: networkId, dry_run: isDry, subnet_hint: subnetHints } = query;
    const request = { work, scope, networkId, isDry, subnetHints, file, log };
    return Promise.resolve(answer.jsonPieces(importScan(storage, desk, request)));
  });
}
