import type { components, operations } from "./schema.generated.js";
import type { UploadInput } from "./transport.js";

// What operations take and answer, looked up in the types that are made from the OpenAPI document.

/** Every entity, body and answer by its name in the OpenAPI document, such as `Schemas["Host"]`. */
export type Schemas = components["schemas"];

/** What `meta.pagination` says. */
export type Pagination = Schemas["Pagination"];

/** What a write changes, or would change. */
export type Plan = Schemas["Plan"];

export type OperationId = keyof operations;

type Part<Name extends OperationId, Kind extends string> = Kind extends keyof operations[Name]["parameters"]
  ? Exclude<operations[Name]["parameters"][Kind], undefined>
  : never;

/** What fills the placeholders of its path. */
export type ParamsOf<Name extends OperationId> = Part<Name, "path">;

export type QueryOf<Name extends OperationId> = Part<Name, "query">;

type JsonIn<Content> = Content extends { readonly "application/json": infer Body }
  ? Body
  : Content extends { readonly "application/merge-patch+json": infer Body }
    ? Body
    : UploadInput;

/** What is sent; never where nothing is. */
export type BodyOf<Name extends OperationId> = operations[Name] extends {
  readonly requestBody: { readonly content: infer Content };
}
  ? JsonIn<Content>
  : never;

type AnswerOf<Name extends OperationId> = operations[Name]["responses"][200];

/** The `data` of its answer. */
export type DataOf<Name extends OperationId> =
  AnswerOf<Name> extends { readonly content: { readonly "application/json": { readonly data: infer Data } } }
    ? Data
    : never;

/** Operations that answer page by page. */
export type ListId = {
  [Name in OperationId]: DataOf<Name> extends readonly unknown[]
    ? QueryOf<Name> extends { readonly limit?: number }
      ? Name
      : never
    : never;
}[OperationId];

export type RowOf<Name extends ListId> = DataOf<Name> extends readonly (infer Row)[] ? Row : never;
