// `npm run long -- discovery`: what a collector finds in random laboratories of network namespaces, compared with the truth.
import { runInLaboratories } from "../laboratory-run.mjs";

await runInLaboratories(async () => {
  const { discoverLaboratories: run, whatIsMissing } = await import("../dist/lab/discovery.js");
  return { run, whatIsMissing };
});
