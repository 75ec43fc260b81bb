// Which sandboxes work here: tested once per process, and what failed again after a while.
import { mkdirSync, readFileSync, realpathSync } from 'node:fs'
import type { RealSandbox, SandboxTest } from '../../core/run/sandbox.ts'
import { type ProcessRef, readStartTime } from '../proc.ts'
import type { Offer } from './contain.ts'
import { testSandbox } from './self-test.ts'
import { findTools, ownPrivilege } from './tools.ts'

/** Somebody may have installed what was missing; a daemon lives for weeks. */
const TEST_AGAIN_MS = 60_000

type Kept = { readonly result: Promise<SandboxTest>; readonly testedAt: number }

export type Sandboxes = {
  /** What this machine offers to build one of. */
  offer(): Offer
  test(sandbox: RealSandbox, hidden: string): Promise<SandboxTest>
}

export function createSandboxes(): Sandboxes {
  const kept = new Map<string, Kept>()
  const offer = () => ({ tools: findTools(), privilege: ownPrivilege() })
  return {
    offer,
    async test(sandbox, hidden) {
      const key = `${sandbox} ${hidden}`
      const known = kept.get(key)
      if (known && !(await isOutdated(known))) return known.result
      const result = testOn(sandbox, hidden, offer)
      kept.set(key, { result, testedAt: performance.now() })
      return result
    },
  }
}

async function testOn(
  sandbox: RealSandbox,
  hidden: string,
  offer: () => Offer,
): Promise<SandboxTest> {
  if (process.platform !== 'linux') {
    const hint = 'Use a container or another user where an agent must be contained.'
    return { works: false, reason: `not on ${process.platform}`, hint }
  }
  return testSandbox(sandbox, realDirectory(hidden), offer())
}

async function isOutdated({ result, testedAt }: Kept): Promise<boolean> {
  return performance.now() - testedAt > TEST_AGAIN_MS && !(await result).works
}

/** bwrap would create what is missing, and refuses what is a link. */
export function realDirectory(path: string): string {
  mkdirSync(path, { recursive: true, mode: 0o700 })
  return realpathSync(path)
}

/** The first process of the namespace, below the sandbox's own: when it is gone, so are all others in there. */
export function firstInside(pid: number): ProcessRef | null {
  try {
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
    const first = Number.parseInt(children, 10)
    return Number.isNaN(first) ? null : { pid: first, startTime: readStartTime(first) }
  } catch {
    return null // This kernel does not list children: the tree is then found by marker and parent links.
  }
}
