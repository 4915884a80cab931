/** Where the answer to "who am I?" is kept; null there means that nobody is signed in. */
export const SESSION_KEY = ["session"];
