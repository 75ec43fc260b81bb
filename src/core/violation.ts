// A broken promise of the store, as `verify` reports it.

/** A broken promise of the store: the rule, what breaks it, and how. */
export type Violation = { readonly rule: string; readonly subject: string; readonly detail: string }
