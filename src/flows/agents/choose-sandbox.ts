// Chooses the sandbox of a run before its start, from what the user asked for and what this machine can do.
import type { AgentSaid } from '../../core/run/events.ts'
import {
  chooseSandbox,
  notContainedWords,
  type RealSandbox,
  type SandboxChoice,
  type SandboxMode,
  type SandboxTest,
  SUDO_HINT,
  sandboxesFor,
} from '../../core/run/sandbox.ts'
import type { Containment } from '../../runner/sandbox/contain.ts'
import type { Dependencies } from '../dependencies.ts'

export async function sandboxFor(
  { runner, hiddenDir }: Dependencies,
  mode: SandboxMode,
): Promise<SandboxChoice> {
  const tests: Partial<Record<RealSandbox, SandboxTest>> = {}
  for (const sandbox of sandboxesFor(mode)) {
    const test = await runner.testSandbox(sandbox, hiddenDir)
    tests[sandbox] = test
    if (test.works) break
  }
  return chooseSandbox(mode, tests)
}

type Shown = {
  /** The texts that the run's agent reads by path. */
  readonly kept: readonly string[]
  /** Directories of ours that the agent may read. */
  readonly outputs: readonly string[]
  /** Its work tree, if that is below our data directory, and the clones whose objects it borrows. */
  readonly workTree: { readonly workDir: string; readonly borrowed: readonly string[] } | null
}

/** The agent sees nothing else of our data directory. */
export function containmentOf(
  { hiddenDir }: Dependencies,
  choice: SandboxChoice,
  { kept, outputs, workTree }: Shown,
): Containment | null {
  if (choice.kind === 'refuse' || choice.sandbox === 'none') return null
  return {
    sandbox: choice.sandbox,
    hidden: hiddenDir,
    readable: kept,
    readableDirs: [...outputs, ...(workTree?.borrowed ?? [])],
    ...(workTree && { writableDir: workTree.workDir }),
  }
}

/** Stores texts where the agent of one run can read them by path. */
export type TextKeeper = Pick<Dependencies, 'keepText' | 'keepContext'>

/** `paths` grows with each text that is stored. */
export function createTextKeeper(dependencies: TextKeeper): TextKeeper & {
  readonly paths: readonly string[]
} {
  const paths: string[] = []
  return {
    paths,
    keepText: async text => {
      const path = await dependencies.keepText(text)
      paths.push(path)
      return path
    },
    keepContext: async file => {
      const directory = await dependencies.keepContext(file)
      paths.push(`${directory}/${file.name}`)
      return directory
    },
  }
}

/** Says why a run has no sandbox, or was refused; `null` when it has the sandbox that it asked for. */
export function sandboxNote(choice: SandboxChoice): string | null {
  return choice.kind === 'refuse' ? choice.message : choice.reason
}

/** Gives a notice for the log and the user when a run asked for `auto` and has no sandbox. */
export function sandboxNotices(choice: SandboxChoice): readonly AgentSaid[] {
  if (choice.kind === 'refuse' || choice.reason === null) return []
  return [{ type: 'notice', code: 'not-contained', text: notContainedWords(choice.reason) }]
}

export const SUDO_NOTICE: AgentSaid = { type: 'notice', code: 'sandbox-sudo', text: SUDO_HINT }
