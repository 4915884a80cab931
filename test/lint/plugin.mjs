// Our own lint rules for the structure of the system.

/** A rule that reports what any of these selectors matches, with the message. */
const refusing = (message, ...selectors) => ({
  create: (context) =>
    Object.fromEntries(selectors.map((selector) => [selector, (node) => context.report({ node, message })])),
});

export default {
  meta: { name: "nts" },
  rules: {
    "no-packed-declarations": refusing(
      "Declare each name in a statement of its own.",
      "VariableDeclarator[init.type='ArrayExpression'] > ArrayPattern:not(:has(> RestElement))",
    ),
    "no-formatter-suppressions": {
      create: (context) => ({
        Program: () => {
          for (const comment of context.sourceCode.getAllComments())
            if (/(?:prettier|oxfmt)-ignore/.test(comment.value))
              context.report({ node: comment, message: "The formatter decides how code looks." });
        },
      }),
    },
    /** Settings are passed as arguments: each process reads its environment in one file. */
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
    /** The driver accepts any condition; collections are opened where conditions must contain the organization. */
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
