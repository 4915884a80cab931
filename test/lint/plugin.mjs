// Our own rules of lint: what a file may not do for the sake of how the system is divided.

/** A rule that refuses what any of these selectors finds, and says why. */
const refusing = (message, ...selectors) => ({
  create: (context) =>
    Object.fromEntries(selectors.map((selector) => [selector, (node) => context.report({ node, message })])),
});

export default {
  meta: { name: "nts" },
  rules: {
    /** Settings reach the code as arguments: who reads the environment can be seen in one file per process. */
    "no-environment": refusing(
      "Only main.ts reads process.env; take a setting as an argument.",
      "MemberExpression[object.name='process'][property.name='env']",
      "VariableDeclarator[init.name='process'] > ObjectPattern > Property[key.name='env']",
    ),
    "no-clock": refusing(
      "Pure rules are given the time.",
      "NewExpression[callee.name='Date'][arguments.length=0]",
      "MemberExpression[object.name='Date'][property.name='now']",
    ),
    "no-chance": refusing("Pure rules know no chance.", "MemberExpression[object.name='Math'][property.name='random']"),
    /** What the driver would run on any condition is opened where conditions have to name an organization. */
    "no-collections": refusing(
      "Collections stay in storage/: give the store an operation with a scope.",
      "MemberExpression[property.name='collection']",
    ),
    "no-unscoped-collections": refusing(
      "Open it with scopedCollection(): its operations do not compile without an organization.",
      "CallExpression[callee.property.name='collection']",
    ),
  },
};
