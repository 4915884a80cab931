import { z } from "zod";
import type { BodyOf, DataOf, Endpoint } from "../contract/endpoint.js";
import type { PatchOf } from "../contract/merge-patch.js";
import { merged } from "../merge-patch.js";
import type { Answer } from "./answer.js";
import { mount, type Router, type UserCall } from "./mount.js";
import { createValidator } from "./validate.js";

/** A call that changes an entity: all of it, or some of its members. */
export interface UpdateCall<Put> extends Omit<UserCall<Put>, "body"> {
  /** What the request itself says. */
  readonly said: PatchOf<BodyOf<Put>>;
  /**
   * The whole body that is asked for. It is computed from the state that is read, again for each read.
   *
   * @param current the entity as it is answered
   * @throws AppError `validation_failed` when a patch does not fit
   */
  readonly asked: (current: object) => BodyOf<Put>;
}

export type UpdateHandler<Put> = (call: UpdateCall<Put>) => Promise<Answer<DataOf<Put>>>;

/** The operations that replace an entity and that patch it. */
export interface Updates<Put extends Endpoint> {
  readonly put: Put;
  readonly patch: Endpoint<NonNullable<Put["params"]>, NonNullable<Put["query"]>, z.ZodType, Put["response"]>;
}

/** Puts one handler behind PUT and PATCH: what a patch makes of the present state goes through every rule of PUT. */
export function mountUpdate<Put extends Endpoint>(
  router: Router,
  { put, patch }: Updates<Put>,
  handler: UpdateHandler<Put>,
): void {
  if (!(put.body instanceof z.ZodObject)) throw new Error(`${put.operationId} has no body to patch`);
  const { shape } = put.body;
  const validate = createValidator(put.body) as (value: unknown) => BodyOf<Put>;
  // What PUT keeps when it is absent is left to it.
  const isNeeded = (name: string, patch: object): boolean =>
    name in patch || (name in shape && !(shape[name] instanceof z.ZodOptional));
  mount(router, put, ({ body, ...call }) =>
    handler({ ...call, said: body as PatchOf<BodyOf<Put>>, asked: () => body }),
  );
  mount(router, patch as unknown as Put, ({ body, ...call }) => {
    const patch = body as object;
    const asked = (current: object): BodyOf<Put> => {
      const members = Object.entries(current).filter(([name]) => isNeeded(name, patch));
      return validate(merged(Object.fromEntries(members), patch));
    };
    return handler({ ...call, said: body as PatchOf<BodyOf<Put>>, asked });
  });
}
