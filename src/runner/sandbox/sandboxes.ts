// Which sandboxes work here. Each is tested once per process, and again after a while when it failed.
import { mkdirSync, readFileSync, realpathSync } from 'node:fs'
import type { RealSandbox, SandboxTest } from '../../core/run/sandbox.ts'
import { type ProcessRef, readStartTime } from '../proc.ts'
import type { Offer } from './contain.ts'
import { testSandbox } from './self-test.ts'
import { findTools, ownPrivilege } from './tools.ts'

/** A daemon lives for weeks, and somebody may install the missing program meanwhile. */
const TEST_AGAIN_MS = 60_000

type Kept = { readonly result: Promise<SandboxTest>; readonly testedAt: number }

export type Sandboxes = {
  /** What this machine offers for a sandbox. */
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
    const hint = 'Run Reprise in a container or as another user when an agent must be contained.'
    return { works: false, reason: `not on ${process.platform}`, hint }
  }
  return testSandbox(sandbox, realDirectory(hidden), offer())
}

async function isOutdated({ result, testedAt }: Kept): Promise<boolean> {
  return performance.now() - testedAt > TEST_AGAIN_MS && !(await result).works
}

/** bwrap would create missing paths, and refuses links. */
export function realDirectory(path: string): string {
  mkdirSync(path, { recursive: true, mode: 0o700 })
  return realpathSync(path)
}

/** The first process of the namespace, a child of the sandbox: when it ends, all others inside end. */
export function firstInside(pid: number): ProcessRef | null {
  try {
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
    const first = Number.parseInt(children, 10)
    return Number.isNaN(first) ? null : { pid: first, startTime: readStartTime(first) }
  } catch {
    return null // This kernel does not list children, so marker and parent links find the tree.
  }
}
