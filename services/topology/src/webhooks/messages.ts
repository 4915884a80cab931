import { createHash, randomUUID } from "node:crypto";
import type { WebhookFormat } from "@nts/shared/contract";
import type { Cursors } from "../journal/cursors.js";
import type { JournalDocument } from "../journal/entries.rules.js";
import { currentSides, textOf } from "../journal/entry-texts.js";
import { DISCORD, PLAIN, SLACK, textOfLines, type Line } from "./texts.rules.js";

export interface Message {
  /** The same for all attempts to send the same changes to a webhook. */
  readonly id: string;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

const JSON_TYPE = { "content-type": "application/json" } as const;
const TEXT_TYPE = { "content-type": "text/plain; charset=utf-8" } as const;
const TEST_TEXT = "This is a test of a webhook of network-topology-service.";

/** How changes are formatted. */
export interface Manner {
  readonly webhookId: string;
  readonly format: WebhookFormat;
  /** A message may contain several changes. */
  readonly isBatch: boolean;
}

/** Formats entries as a message; without batching, a single one. */
export function messageOf(
  { webhookId, format, isBatch }: Manner,
  entries: readonly [JournalDocument, ...JournalDocument[]],
  cursors: Cursors,
): Message {
  const [first] = entries;
  const last = entries.at(-1) ?? first;
  const id = idOf(webhookId, first, last);
  if (format !== "standard") return { id, ...textMessage(format, entries.map(lineOf)) };
  const type = isBatch ? "changes" : `${first.entity.toLowerCase()}.${first.action}`;
  const texts = entries.map((entry) => textOf(entry, cursors));
  const data = isBatch ? `[${texts.join(",")}]` : texts.join();
  return { id, body: `{"type":"${type}","timestamp":"${last.at.toISOString()}","data":${data}}`, headers: JSON_TYPE };
}

/** Hashes more than the numbers of the entries, which are reused after a database is restored. */
function idOf(webhookId: string, ...ends: readonly JournalDocument[]): string {
  const sent = ends.map(({ n, entity_id, at }) => [n, entity_id, at]);
  const digest = createHash("sha256").update(JSON.stringify([webhookId, sent]));
  return `msg_${digest.digest("base64url").slice(0, 27)}`;
}

/** A message without changes. */
export function testMessage({ webhookId, format }: Pick<Manner, "webhookId" | "format">): Message {
  const id = `msg_test_${randomUUID()}`;
  if (format !== "standard") return { id, ...bodyOf(format, TEST_TEXT) };
  const data = { webhook_id: webhookId, message: TEST_TEXT };
  return { id, body: JSON.stringify({ type: "test", timestamp: new Date().toISOString(), data }), headers: JSON_TYPE };
}

function lineOf(entry: JournalDocument): Line {
  return { ...entry, fields: currentSides(entry).fields };
}

type TextFormat = Exclude<WebhookFormat, "standard">;
const MARKUP = { slack: SLACK, discord: DISCORD, ntfy: PLAIN } as const;

function textMessage(format: TextFormat, lines: readonly Line[]): Omit<Message, "id"> {
  return bodyOf(format, textOfLines(lines, MARKUP[format]));
}

function bodyOf(format: TextFormat, text: string): Omit<Message, "id"> {
  if (format === "slack") return { body: JSON.stringify({ text }), headers: JSON_TYPE };
  if (format === "ntfy") return { body: text, headers: { ...TEXT_TYPE, title: "Network topology" } };
  return { body: JSON.stringify({ content: text, allowed_mentions: { parse: [] } }), headers: JSON_TYPE };
}
