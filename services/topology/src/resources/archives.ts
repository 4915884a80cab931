import { ARCHIVE_TYPE, exportArchive, importArchive } from "@nts/shared/contract";
import { answer } from "@nts/shared/http/answer";
import { mount, type Router } from "@nts/shared/http/mount";
import { importArchive as importLines } from "../archives/import.js";
import { archiveLines } from "../archives/write.js";
import type { ImportDesk } from "../imports/desk.js";
import type { JournalReader } from "../journal/read.js";
import { streamed } from "../storage/lists.js";
import type { Storage } from "../storage/storage.js";

/** Another one when the same inventory becomes another file. */
const FORM = "a1.";
const FILE = { mediaType: ARCHIVE_TYPE, fileName: "organization-archive.ndjson" };

export function mountArchives(
  router: Router,
  storage: Storage,
  desk: ImportDesk,
  journal: Pick<JournalReader, "place" | "cursors">,
): void {
  mount(router, exportArchive, async ({ work, principal }) => {
    const { scope: rights } = principal;
    // Looked at first: the archive may have more than its cursor says, and never less.
    const [place, cursors] = await Promise.all([journal.place(rights), journal.cursors()]);
    const { organizationId: organization_id } = rights;
    const changes_cursor = cursors.of(organization_id, place);
    const lines = archiveLines(storage, rights, { organization_id, changes_cursor });
    return answer.file(streamed(work, lines), FILE, { revision: FORM + changes_cursor });
  });

  mount(router, importArchive, ({ work, scope, query: { dry_run: isDry }, body: file, log }) =>
    Promise.resolve(answer.jsonPieces(importLines(storage, desk, { work, scope, isDry, file, log }))),
  );
}
