// The rules that need no types, and our own. Those that need types are in .oxlintrc.json: oxlint checks them at a fraction of the time.
import js from "@eslint/js";
import reactHooks from "eslint-plugin-react-hooks";
import tseslint from "typescript-eslint";

/** Settings reach the code as arguments: who reads the environment can be seen in one file per process. */
const noEnvironment = [
  {
    selector: "MemberExpression[object.name='process'][property.name='env']",
    message: "Only main.ts reads process.env; take a setting as an argument.",
  },
  {
    selector: "VariableDeclarator[init.name='process'] > ObjectPattern > Property[key.name='env']",
    message: "Only main.ts reads process.env; take a setting as an argument.",
  },
];

const noClockOrChance = [
  { selector: "NewExpression[callee.name='Date'][arguments.length=0]", message: "Pure rules are given the time." },
  { selector: "MemberExpression[object.name='Date'][property.name='now']", message: "Pure rules are given the time." },
  { selector: "MemberExpression[object.name='Math'][property.name='random']", message: "Pure rules know no chance." },
];

/** What the driver would run on any condition is opened where conditions have to name an organization. */
const noCollections = [
  {
    selector: "MemberExpression[property.name='collection']",
    message: "Collections stay in storage/: give the store an operation with a scope.",
  },
];
const noUnscopedCollections = [
  {
    selector: "CallExpression[callee.property.name='collection']",
    message: "Open it with scopedCollection(): its operations do not compile without an organization.",
  },
];

const node = {
  process: "readonly",
  console: "readonly",
  URL: "readonly",
  fetch: "readonly",
  setTimeout: "readonly",
  setInterval: "readonly",
};

export default tseslint.config(
  { ignores: ["**/dist/", "**/node_modules/", ".local/", "**/*.generated.*"] },
  js.configs.recommended,
  {
    files: ["**/*.ts", "**/*.tsx"],
    extends: [tseslint.configs.strict, tseslint.configs.stylistic],
    rules: {
      "@typescript-eslint/consistent-type-imports": ["error", { fixStyle: "inline-type-imports" }],
      "@typescript-eslint/explicit-module-boundary-types": "error",
      "@typescript-eslint/max-params": ["error", { max: 4 }], // a transaction and three more
      eqeqeq: "error",
      "max-lines": ["error", { max: 300 }],
      "no-console": "error",
      "no-restricted-syntax": ["error", ...noEnvironment],
      "no-warning-comments": ["error", { terms: ["todo", "fixme", "xxx"] }],
    },
  },
  {
    // a function that does not fit a screen has parts with names of their own
    files: ["gateway/src/**", "shared/src/**", "services/*/src/**", "deploy/*/src/**"],
    ignores: ["**/*.test.ts"],
    rules: {
      "max-lines-per-function": ["error", { max: 60, skipBlankLines: true, skipComments: true }],
      "max-depth": ["error", { max: 3 }],
    },
  },
  {
    files: ["services/topology/src/**"],
    // the journal follows all organizations
    ignores: ["services/topology/src/storage/**", "services/topology/src/journal/collections.ts"],
    rules: { "no-restricted-syntax": ["error", ...noEnvironment, ...noCollections] },
  },
  {
    files: ["services/topology/src/storage/**"],
    // migrations change all organizations, and a sweep finds the deletions of all of them; likewise the webhooks that are due, and
    // the notes that identity fetches; keys are the database's
    ignores: ["scoped-collection", "migrations", "deletion-records", "webhook-states", "audit-notes", "keys"].map(
      (n) => `**/${n}.ts`,
    ),
    rules: { "no-restricted-syntax": ["error", ...noEnvironment, ...noUnscopedCollections] },
  },
  {
    files: ["gateway/web/src/**"],
    extends: [reactHooks.configs.flat.recommended],
  },
  {
    // `npm start` talks to a person, and it and the tests hand the environment on
    files: ["deploy/local/src/**", "test/src/**"],
    rules: { "no-console": "off", "no-restricted-syntax": "off" },
  },
  {
    files: ["**/src/main.ts", "**/src/admin/main.ts", "**/*.test.ts"],
    rules: { "no-restricted-syntax": "off" },
  },
  {
    // pure rules: the same input gives the same output, so they are tested without any preparation
    files: ["**/*.rules.ts", "services/topology/src/values/definitions/*.ts"],
    rules: { "no-restricted-syntax": ["error", ...noEnvironment, ...noClockOrChance] },
  },
  {
    // the type of a schema is what it is made of: written out, it would be said twice
    files: ["shared/src/contract/**"],
    rules: { "@typescript-eslint/explicit-module-boundary-types": "off" },
  },
  {
    files: ["**/*.test.ts", "test/src/**"],
    rules: {
      "@typescript-eslint/no-non-null-assertion": "off",
      "@typescript-eslint/max-params": "off",
    },
  },
  { files: ["**/*.js", "**/*.mjs"], languageOptions: { globals: node } },
  {
    // run by MongoDB's shell
    files: ["deploy/mongodb/*.js"],
    languageOptions: { sourceType: "script", globals: { Mongo: "readonly", print: "readonly", sleep: "readonly" } },
  },
  {
    files: ["**/*.cjs"],
    languageOptions: {
      sourceType: "commonjs",
      globals: { ...node, __dirname: "readonly", module: "writable", require: "readonly" },
    },
  },
);
