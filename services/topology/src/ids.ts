import { v7 } from "uuid";

/** A new id; ids of one process grow with time. */
export const newId = (): string => v7();
