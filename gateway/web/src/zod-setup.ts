import { config } from "zod";

// Imported before any schema: the policy of the page forbids zod to compile its checks with `new Function`.
config({ jitless: true });
