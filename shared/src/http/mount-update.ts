import { z } from "zod";
import type { BodyOf, DataOf, Endpoint } from "../contract/endpoint.js";
import { spelledAs } from "../contract/folding.rules.js";
import type { PatchOf } from "../contract/merge-patch.js";
import { merged } from "../merge-patch.js";
import type { HandlerResponse } from "./respond.js";
import { mount, type Router, type UserCall, type UserHandler } from "./mount.js";
import { createUpdateValidator, type UpdateValidator } from "./validate.js";

/** A call that replaces or patches an entity. */
export interface UpdateCall<Put> extends Omit<UserCall<Put>, "body"> {
  /** The request body. */
  readonly patch: PatchOf<BodyOf<Put>>;
  /**
   * The full requested body, computed from the current state; again for each read.
   *
   * @param current the entity as returned to clients
   * @throws AppError `validation_failed` if a patch does not apply
   */
  readonly requestedState: (current: object) => BodyOf<Put>;
}

export type UpdateHandler<Put> = (call: UpdateCall<Put>) => Promise<HandlerResponse<DataOf<Put>>>;

/** The operations that replace and patch an entity. */
export interface Updates<Put extends Endpoint> {
  readonly put: Put;
  readonly patch: Endpoint<NonNullable<Put["params"]>, NonNullable<Put["query"]>, z.ZodType, Put["response"]>;
}

/** Mounts one handler for PUT and PATCH; the result of a patch is validated like a PUT. */
export function mountUpdate<Put extends Endpoint>(
  router: Router,
  { put, patch }: Updates<Put>,
  handler: UpdateHandler<Put>,
): void {
  if (!(put.body instanceof z.ZodObject)) throw new Error(`${put.operationId} has no body to patch`);
  const { shape } = put.body;
  const whole = createUpdateValidator(put.body) as UpdateValidator<BodyOf<Put>>;
  const partial = createUpdateValidator(patch.body ?? put.body) as UpdateValidator<object>;
  // Members that PUT keeps if absent are left to PUT.
  const isNeeded = (name: string, patch: object): boolean =>
    name in patch || (name in shape && !(shape[name] instanceof z.ZodOptional));
  const replace: UserHandler<Put> = ({ body, ...call }) => {
    const requestedState = (current: object): BodyOf<Put> => {
      whole.requireNewTexts(body, current);
      return withKnownTags(body as object, current) as BodyOf<Put>;
    };
    return handler({ ...call, patch: body as PatchOf<BodyOf<Put>>, requestedState });
  };
  const change: UserHandler<Put> = ({ body, ...call }) => {
    const patch = body as object;
    const requestedState = (current: object): BodyOf<Put> => {
      partial.requireNewTexts(patch, current);
      const members = Object.entries(current).filter(([name]) => isNeeded(name, patch));
      return withKnownTags(whole.read(merged(Object.fromEntries(members), patch)) as object, current) as BodyOf<Put>;
    };
    return handler({ ...call, patch: body as PatchOf<BodyOf<Put>>, requestedState });
  };
  mount(router, put, replace, whole.read);
  mount(router, patch as unknown as Put, change, partial.read);
}

/** A body with tags that only differ in normal form spelled as they are stored, so that they are no change. */
function withKnownTags(body: { readonly tags?: unknown }, { tags: current }: { readonly tags?: unknown }): object {
  const { tags } = body;
  return Array.isArray(tags) && Array.isArray(current) ? { ...body, tags: spelledAs(current, tags) } : body;
}
