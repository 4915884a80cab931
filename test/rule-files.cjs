// The files that hold pure rules: the same input gives the same output, so they are tested without any preparation. They
// import no package, do no input or output, and read neither clock nor chance. A new one is added here.
module.exports = [
  "services/topology/src/positions.ts",
  "services/topology/src/services/bindings.ts",
  "services/topology/src/interfaces/mac-address.ts",
];
