import { z } from "zod";
import { ROLE_NAMES } from "./role-names.rules.js";

/** What a host is in its network. */
export const Role = z.enum(ROLE_NAMES).meta({ id: "Role" });
export type Role = z.infer<typeof Role>;

/** List filter for hosts with roles. */
export const roleFilter = {
  role: z
    .array(Role)
    .max(ROLE_NAMES.length)
    .default([])
    .describe("Only hosts with one of these roles, set or probable."),
};
