import { ARCHIVE_TYPE, exportArchive, importArchive } from "@nts/shared/contract";
import { respond } from "@nts/shared/http/respond";
import { readerOf } from "@nts/shared/http/author";
import { mount, type Router } from "@nts/shared/http/mount";
import { notedExport, notedImport } from "../archives/audited.js";
import type { ArchiveRequest } from "../archives/import.js";
import { createArchiveImports } from "../archives/imports.js";
import { archiveLines } from "../archives/write.js";
import type { Notices } from "../deletions/notices.js";
import type { ImportRunner } from "../imports/runner.js";
import { readSeenState, type StateParts } from "../journal/seen-state.js";
import { streamed } from "../storage/lists.js";
import type { Storage } from "../storage/storage.js";
import { createAudited } from "./audited.js";

/** Changes with the content of the file. */
const FORM = "a1.";
const FILE = { mediaType: ARCHIVE_TYPE, fileName: "organization-archive.ndjson" };

interface Parts {
  readonly storage: Storage;
  readonly notices: Notices;
  readonly runner: ImportRunner;
  readonly journal: StateParts["journal"];
}

export function mountArchives(router: Router, { storage, notices, runner, journal }: Parts): void {
  const audited = createAudited(storage, notices);
  const importLines = createArchiveImports(storage, runner);
  const state = { database: storage.database, journal, form: FORM };

  mount(router, exportArchive, async ({ work, scope, principal }) => {
    const { scope: rights } = principal;
    const { organizationId: organization_id } = rights;
    const { cursor: changes_cursor, tag } = await readSeenState(state, { work, rights });
    const networks = rights.networks === "all" ? "all" : "some";
    // A 304 is not audited, so this runs only when lines are requested.
    const lines = async function* (): AsyncGenerator<string> {
      const author = readerOf(principal, work.origin?.requestId ?? "");
      const asking = { work: { ...work, author }, scope };
      await audited(asking, [keyOf(organization_id)], (_tx, note) => note(notedExport(organization_id, networks)));
      yield* archiveLines(storage, rights, { organization_id, changes_cursor });
    };
    return respond.file(streamed(work, lines()), FILE, tag);
  });

  mount(router, importArchive, ({ work, principal: { scope }, query: { dry_run: isDry }, body: file, log }) => {
    const { organizationId } = scope;
    const onChecked: ArchiveRequest["onChecked"] = async (checked) => {
      if (isDry) return;
      await audited({ work, scope }, [keyOf(organizationId)], (_tx, note) =>
        note(notedImport(organizationId, checked)),
      );
    };
    return Promise.resolve(respond.jsonPieces(importLines({ work, scope, isDry, file, log, onChecked })));
  });
}

/** Audit notes of an organization are written sequentially. */
function keyOf(organizationId: string): string {
  return `archives:${organizationId}`;
}
