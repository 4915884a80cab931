/** The attribute of unmanaged switches, which is true. */
export const UNMANAGED = "unmanaged";
