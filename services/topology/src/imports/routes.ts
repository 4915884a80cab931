import { importNmap } from "@nts/shared/contract";
import { answer } from "@nts/shared/http/answer";
import { mount, type Router } from "@nts/shared/http/mount";
import type { Storage } from "../storage/storage.js";
import { importScan, type ImportRequest } from "./import.js";
import { createSlots } from "./slots.js";

export function mountImports(router: Router, storage: Storage): void {
  const slots = createSlots();

  mount(router, importNmap, ({ scope, query, body: file, log }) => {
    const { network_id: networkId, dry_run: isDry, subnet_hint: subnetHints } = query;
    return Promise.resolve(answer.jsonPieces(withSlot({ scope, networkId, isDry, subnetHints, file, log })));
  });

  /** Nothing is taken until the first piece is asked for, and it is given back however the answer ends. */
  async function* withSlot(request: ImportRequest): AsyncGenerator<string> {
    const release = slots.take(request.scope.organizationId);
    try {
      yield* importScan(storage, request);
    } finally {
      release();
    }
  }
}
