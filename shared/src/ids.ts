import { v7 } from "uuid";

/** A new id (UUID v7); the ids that one process makes grow with time. */
export const newId = (): string => v7();
