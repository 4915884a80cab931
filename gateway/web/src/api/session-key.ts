/** Query key of the current user; null as data means signed out. */
export const SESSION_KEY = ["session"];
