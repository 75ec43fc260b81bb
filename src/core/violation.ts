// What a check of the store finds: a promise that its rows break.

/** A broken promise of the store: the rule, what breaks it, and how. */
export type Violation = { readonly rule: string; readonly subject: string; readonly detail: string }
