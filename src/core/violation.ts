// A broken promise of the store, as `verify` reports it.

/** A broken promise of the store: the rule, what breaks it, and how. */
export type Violation = { readonly rule: string; readonly subject: string; readonly detail: string }

/** How `verify` is called. */
export type VerifyOptions = {
  /** Called before each rule with how many rules were checked and how many there are. */
  readonly onProgress?:
    | ((progress: { readonly done: number; readonly total: number }) => void)
    | undefined
}
