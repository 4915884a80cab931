import type { components, operations } from "./schema.generated.js";

// Inputs and results of operations, taken from the types generated from the OpenAPI document.

/** Every schema by its name in the OpenAPI document, for example `Schemas["Host"]`. */
export type Schemas = components["schemas"];

/** What can be uploaded; a browser's `File` is a `Blob`. */
export type UploadInput = string | Uint8Array<ArrayBuffer> | Blob;

/** The type of `meta.pagination`. */
export type Pagination = Schemas["Pagination"];

/** What a write changes or would change. */
export type Plan = Schemas["Plan"];

export type OperationId = keyof operations;

type Part<Name extends OperationId, Kind extends string> = Kind extends keyof operations[Name]["parameters"]
  ? Exclude<operations[Name]["parameters"][Kind], undefined>
  : never;

/** Path parameters. */
export type ParamsOf<Name extends OperationId> = Part<Name, "path">;

export type QueryOf<Name extends OperationId> = Part<Name, "query">;

type JsonIn<Content> = Content extends { readonly "application/json": infer Body }
  ? Body
  : Content extends { readonly "application/merge-patch+json": infer Body }
    ? Body
    : UploadInput;

/** The request body; never if there is none. */
export type BodyOf<Name extends OperationId> = operations[Name] extends {
  readonly requestBody: { readonly content: infer Content };
}
  ? JsonIn<Content>
  : never;

type ResponseOf<Name extends OperationId> = operations[Name]["responses"][200];

/** The `data` of the response. */
export type DataOf<Name extends OperationId> =
  ResponseOf<Name> extends { readonly content: { readonly "application/json": { readonly data: infer Data } } }
    ? Data
    : never;

/** Operations with paginated responses. */
export type ListId = {
  [Name in OperationId]: DataOf<Name> extends readonly unknown[]
    ? QueryOf<Name> extends { readonly limit?: number }
      ? Name
      : never
    : never;
}[OperationId];

export type RowOf<Name extends ListId> = DataOf<Name> extends readonly (infer Row)[] ? Row : never;
