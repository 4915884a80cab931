import { describe, expect, it } from "@jest/globals";
import { readFileSync } from "node:fs";
import { Validator } from "@seriousme/openapi-schema-validator";
import { OPERATIONS } from "@nts/shared/contract";
import { takesIdempotencyKey } from "@nts/shared/contract/writes";
import { inEdition30 } from "@nts/shared/openapi/edition-3-0";
import { openApiText } from "@nts/shared/openapi/openapi";
import { SERVER_VERSION } from "@nts/shared/version";
import { clientFiles } from "../documents/client.js";

const root = new URL("../../../", import.meta.url);
const read = (path: string): string => readFileSync(new URL(path, root), "utf8");

describe("the contract and what is derived from it", () => {
  it("has an up-to-date OpenAPI document (npm run openapi)", () => {
    expect(read("shared/openapi.json")).toBe(openApiText(SERVER_VERSION));
  });

  it("has a client with an up-to-date table and types (npm run openapi)", async () => {
    for (const [path, text] of Object.entries(await clientFiles()))
      expect([path, read(path) === text]).toEqual([path, true]);
  });

  it("has an OpenAPI document that is valid 3.1", async () => {
    const validator = new Validator();
    const result = await validator.validate(read("shared/openapi.json"));
    expect([validator.version, result.errors ?? [], result.valid]).toEqual(["3.1", [], true]);
  });

  it("has an edition of it that is valid 3.0", async () => {
    const validator = new Validator();
    const result = await validator.validate({ ...inEdition30(JSON.parse(read("shared/openapi.json")) as object) });
    expect([validator.version, result.errors ?? [], result.valid]).toEqual(["3.0", [], true]);
  });

  it("contains each operation id once, and each method of a path once", () => {
    const ids = OPERATIONS.map(({ operationId }) => operationId);
    const routes = OPERATIONS.map(({ method, path }) => `${method} ${path}`);
    expect(new Set(ids).size).toBe(ids.length);
    expect(new Set(routes).size).toBe(routes.length);
  });
});

describe("the contract: each operation", () => {
  it("accepts an idempotency key on every write under /api/v1 except imports, which are idempotent", () => {
    const writes = OPERATIONS.filter(({ method, path }) => method !== "get" && path.startsWith("/api/v1/"));
    const unkeyed = writes.filter((operation) => !takesIdempotencyKey(operation)).map(({ operationId }) => operationId);
    expect(unkeyed).toEqual(["import_archive", "import_nmap", "import_file"]);
    const { paths } = JSON.parse(read("shared/openapi.json")) as { paths: Record<string, Record<string, object>> };
    const silent = writes.filter(
      ({ path, method }) => !/Idempotency-?Key/i.test(JSON.stringify(paths[path]?.[method])),
    );
    expect(silent.map(({ operationId }) => operationId)).toEqual(unkeyed);
  });

  it("requires a level wherever it requires a credential, except for the caller's own account", () => {
    const unlevelled = OPERATIONS.filter(({ credential, permission }) => credential !== "none" && permission === null);
    expect(unlevelled.map(({ operationId }) => operationId).sort()).toEqual([
      "act_in_organization",
      "change_password",
      "confirm_device_sign_in",
      "confirm_second_factor",
      "delete_current_user",
      "disable_second_factor",
      "enable_second_factor",
      "get_current_user",
      "get_current_user_by_post",
      "get_notifications",
      "get_second_factor",
      "get_shared_view",
      "link_provider",
      "list_identities",
      "logout",
      "offer_second_factor",
      "refuse_device_sign_in",
      "renew_recovery_codes",
      "send_verification",
      "show_device_sign_in",
      "unlink_provider",
      "update_notifications",
      "verify_email",
    ]);
  });

  it("declares write_conflict on every write, except those that retry indefinitely or write nothing", () => {
    const undeclared = OPERATIONS.filter(
      ({ method, errors }) => method !== "get" && !errors.includes("write_conflict"),
    );
    expect(undeclared.map(({ operationId }) => operationId)).toEqual([
      "get_current_user_by_post",
      "start_device_sign_in",
      "confirm_device_sign_in",
      "refuse_device_sign_in",
      "show_device_sign_in",
      "let_assistant_in",
      "show_assistant",
      "preview_invite",
      "import_archive",
      "cancel_revert_job",
      "test_webhook",
      "import_nmap",
      "import_file",
      "cancel_import_job",
      "report_collector_job",
    ]);
  });

  it("limits the size of every text and every list in a body", () => {
    const document = JSON.parse(read("shared/openapi.json")) as Document;
    const bodies = Object.entries(document.components.schemas).filter(([name]) =>
      /Input$|Create$|Update$|OfNewHost$|^Login$|^Registration$|^BulkDelete$|^PasswordChange$/.test(name),
    );
    expect(bodies.length).toBeGreaterThan(15);
    expect(bodies.flatMap(([name, schema]) => unlimitedIn(document, schema, name))).toEqual([
      "ServiceUpdate.source.type", // accepted so that responses can be sent back, and ignored
    ]);
  });
});

interface Document {
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly format?: string;
  readonly pattern?: string;
  readonly const?: unknown;
  readonly enum?: unknown[];
  readonly maxLength?: number;
  readonly maxItems?: number;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
}

/** Paths of texts and lists without a maximum; a format, a pattern or an enum limits a text too. */
function unlimitedIn(document: Document, schema: Schema, path: string): string[] {
  if (schema.$ref !== undefined)
    return unlimitedIn(document, document.components.schemas[schema.$ref.split("/").at(-1)!]!, path);
  const { type, format, pattern, maxLength, maxItems } = schema;
  const isLimited = format ?? pattern ?? maxLength ?? schema.enum ?? schema.const;
  return [
    ...(type === "string" && isLimited === undefined ? [path] : []),
    ...(type === "array" && maxItems === undefined ? [path] : []),
    ...(schema.items ? unlimitedIn(document, schema.items, `${path}[]`) : []),
    ...Object.entries(schema.properties ?? {}).flatMap(([name, member]) =>
      unlimitedIn(document, member, `${path}.${name}`),
    ),
    ...[...(schema.anyOf ?? []), ...(schema.oneOf ?? [])].flatMap((option) => unlimitedIn(document, option, path)),
  ];
}
