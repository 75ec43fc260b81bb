// The sandbox around the processes of a run: what a user may ask for, and what was in force.

/** `auto`: the best that works on this machine. */
export type SandboxMode = 'auto' | 'bwrap' | 'namespace' | 'none'

export const SANDBOX_MODES = [
  'auto',
  'bwrap',
  'namespace',
  'none',
] as const satisfies readonly SandboxMode[]

/** The sandbox that is really in force. */
export type SandboxKind = Exclude<SandboxMode, 'auto'>

/** The default of threads and jobs. */
export const DEFAULT_SANDBOX: SandboxMode = 'none'

/** The default of chains. */
export const DEFAULT_CHAIN_SANDBOX: SandboxMode = 'auto'

/** Both give a run a PID namespace that dies with it, and hide our data directory from it. */
export type RealSandbox = Exclude<SandboxKind, 'none'>

/** The result of a self-test on this machine. */
export type SandboxTest =
  | { readonly works: true }
  | { readonly works: false; readonly reason: string; readonly hint: string }

export type SandboxTests = Partial<Readonly<Record<RealSandbox, SandboxTest>>>

export type SandboxChoice =
  /** `reason`: why a run that asked for `auto` is not contained. */
  | { readonly kind: 'use'; readonly sandbox: SandboxKind; readonly reason: string | null }
  | { readonly kind: 'refuse'; readonly message: string; readonly hint: string }

/** The sandboxes of a mode, in the order to test them. */
export function sandboxesFor(mode: SandboxMode): readonly RealSandbox[] {
  if (mode === 'none') return []
  return mode === 'auto' ? ['bwrap', 'namespace'] : [mode]
}

/** `tests` holds the results for `sandboxesFor(mode)`, up to the first that works. */
export function chooseSandbox(mode: SandboxMode, tests: SandboxTests): SandboxChoice {
  const candidates = sandboxesFor(mode)
  const works = candidates.find(kind => tests[kind]?.works)
  if (works) return { kind: 'use', sandbox: works, reason: null }
  if (mode === 'none') return { kind: 'use', sandbox: 'none', reason: null }
  const failed = candidates.flatMap(kind => failureOf(kind, tests[kind]))
  const reason = failed.map(({ kind, reason: why }) => `${kind}: ${why}`).join('; ')
  if (mode === 'auto') return { kind: 'use', sandbox: 'none', reason }
  return {
    kind: 'refuse',
    message: `the sandbox \`${mode}\` does not work on this machine (${reason})`,
    hint: `${failed[0]?.hint ?? SANDBOX_HINT} Or use \`--sandbox auto\` or \`--sandbox none\`.`,
  }
}

export const SANDBOX_HINT =
  'Install bubblewrap (`apt install bubblewrap`), load its AppArmor profile, or allow user namespaces. Run `reprise doctor` to test it again.'

/** What Reprise cannot guarantee without a sandbox. */
export function notContainedWords(reason: string): string {
  return `the run is not contained: processes that its agent detaches can outlive it, and it can read the data directory of Reprise (${reason})`
}

/** Inside a sandbox no program gains privileges, so sudo fails with these words. */
const SUDO_REFUSED = /"?no new privileges"? flag is set/i

export function needsPrivileges(toolOutput: string): boolean {
  return SUDO_REFUSED.test(toolOutput)
}

export const SUDO_HINT =
  'sudo cannot work inside a sandbox: say `sandbox: none` for the tier, thread or job that needs it'

function failureOf(kind: RealSandbox, test: SandboxTest | undefined) {
  if (test === undefined || test.works) return []
  return [{ kind, ...test }]
}
