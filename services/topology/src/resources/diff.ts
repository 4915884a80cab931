import { diffChanges } from "@nts/shared/contract";
import { validationFailed } from "@nts/shared/errors";
import { respond } from "@nts/shared/http/respond";
import { mount, type Router } from "@nts/shared/http/mount";
import type { Scope } from "@nts/shared/http/tenancy";
import { differencesOf, type Spans, spansIn } from "../journal/diff.js";
import { DIFFERENCES, type DifferentEntity, headingOf, lineOf, sectionOf } from "../journal/diff-markdown.rules.js";
import { createMoments } from "../journal/moments.js";
import type { JournalReader } from "../journal/read.js";
import { textWithSides } from "../journal/entry-texts.js";
import type { Database } from "../storage/database.js";
import { inStream, streamed } from "../storage/lists.js";

const MARKDOWN = { mediaType: "text/markdown", fileName: "changes.md" } as const;

/** What is compared, with the cursors of both moments. */
interface Compared {
  readonly scope: Scope;
  readonly spans: Spans;
  readonly from: string;
  readonly to: string;
}

export function mountDiff(router: Router, reader: JournalReader, database: Database): void {
  const moments = createMoments(database, reader);
  mount(router, diffChanges, async ({ principal, work, query }) => {
    const { scope } = principal;
    const ends = await reader.ends(scope);
    const from = await moments.place(scope, query.from, ends);
    const to = query.to === undefined ? ends.last : await moments.place(scope, query.to, ends);
    if (from > to) throw validationFailed({ path: "from", message: "must not be later than `to`" });
    const selection = { work, scope, range: { first: from + 1, last: to }, filter: { network_id: query.network_id } };
    const spans = await inStream(work, () => spansIn(database, selection));
    const cursors = await reader.cursors();
    const [fromCursor, toCursor] = [from, to].map((n) => cursors.of(scope.organizationId, n));
    const compared = { scope, spans, from: fromCursor ?? "", to: toCursor ?? "" };
    if (query.format === "markdown") return respond.file(streamed(work, markdown(database, compared)), MARKDOWN);
    return respond.jsonPieces(streamed(work, json(database, compared)));
  });
}

async function* json(database: Database, { scope, spans, from, to }: Compared): AsyncGenerator<string> {
  yield `{"from":"${from}","to":"${to}"`;
  for (const kind of DIFFERENCES) {
    let before = `,"${kind}":[`;
    for await (const batch of differencesOf(database, scope, spans[kind])) {
      yield before + batch.map(textOf).join(",");
      before = ",";
    }
    yield before === "," ? "]" : `${before}]`;
  }
  yield "}";
}

function textOf({ head, before, after, fields }: DifferentEntity): string {
  return textWithSides(head, { before, after }, { fields });
}

async function* markdown(database: Database, { scope, spans, from, to }: Compared): AsyncGenerator<string> {
  yield headingOf(from, to);
  for (const kind of DIFFERENCES) {
    let before = sectionOf(kind);
    for await (const batch of differencesOf(database, scope, spans[kind])) {
      const lines = batch.map(lineOf).join("");
      if (lines === "") continue;
      yield before + lines;
      before = "";
    }
  }
}
