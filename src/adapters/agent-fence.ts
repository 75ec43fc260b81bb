// A part of the contract of an adapter: how an agent is held to a tier of a policy.
import type { Trust } from '../core/run/trust.ts'

/** What a tier of a policy can be held to. `modes` are the permission modes that a tier may use; the first is the default. */
export type AgentFence = { readonly modes: readonly string[] } & (
  | {
      /** Rules about tools and commands: the agent obeys them, and Reprise watches every call. */
      readonly kind: 'rules'
      /** Whether this version can ask before each call. */
      canGuard(runtime: { readonly version: string; readonly quirks: readonly string[] }): boolean
      /** The versions that were seen to ask, in words; absent: all that Reprise knows. */
      readonly guardedVersions?: string
      /** What a dry run may use: tools that only read, and the mode in which nothing else runs. */
      readonly dryRun: { readonly tools: readonly string[]; readonly mode: string }
      /** Tools that change nothing outside the agent: no tier needs to allow them. */
      readonly harmless: readonly string[]
      /** Tools that run without asking in every permission mode: a tier that does not allow them must forbid them. */
      readonly unasked: readonly string[]
      /**
       * The words that rules may use, without brackets, where the agent names calls by their kinds alone. Such an agent is held by its
       * questions alone, so that a version which cannot be guarded runs no tier. Absent: any rule.
       */
      readonly kinds?: readonly string[]
      /** The trusts that the agent can be held to; absent: all. */
      readonly trusts?: readonly Trust[]
    }
  | {
      /** A sandbox of the agent's own, by permission mode. It knows no rules about tools. */
      readonly kind: 'sandbox'
      readonly dryRun: { readonly mode: string }
      /** The trusts that the agent can be held to: with less, it would still read settings that count for nothing. */
      readonly trusts: readonly Trust[]
    }
)
