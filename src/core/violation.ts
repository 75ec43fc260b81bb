// What a check of the store finds: a promise that its rows break.

export type Violation = { readonly rule: string; readonly subject: string; readonly detail: string }
