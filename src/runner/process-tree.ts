// Finds everything that a run has started, by the run's marker, parent links and process group, and ends it.
import {
  carriesMarker,
  hasProc,
  isSameProcess,
  listPids,
  type ProcessInfo,
  type ProcessRef,
  readProcess,
} from './proc.ts'

export type Tree = {
  readonly marker: string
  /** The agent; without it, only the marker finds processes. */
  readonly root: ProcessRef | null
  /** Pids that belonged to older processes a moment ago; they are not checked again. */
  readonly others?: ReadonlySet<number>
}

export type Signal = 'SIGINT' | 'SIGTERM' | 'SIGKILL'

export type Ending = {
  /** More processes to end, noted while they could still be found. */
  readonly known?: readonly ProcessRef[]
  /** Time between terminate and kill. */
  readonly graceMs: number
}

const KILL_BOUND_MS = 3_000
const LONGEST_PAUSE_MS = 40
const MAX_LISTINGS = 10

/** The living processes of a run. Without /proc nothing can be listed, see `signalTree`. */
export function findTree(tree: Tree): readonly ProcessRef[] {
  if (!hasProc) return []
  const all = readAll(tree.others)
  const found = new Map<number, ProcessInfo>()
  for (const info of all.values()) {
    if (belongs(info, tree)) found.set(info.pid, info)
  }
  addDescendants(found, all)
  return [...found.values()].map(({ pid, startTime }) => ({ pid, startTime }))
}

/** Processes from before a run cannot be part of it; that rules out nearly all of a machine. */
export function olderThan(root: ProcessRef): ReadonlySet<number> {
  const older = [...readAll().values()].filter(info => isOlder(info, root))
  return new Set(older.map(({ pid }) => pid))
}

/** A pid with another start time is another process and gets no signal. */
export function signalProcesses(processes: readonly ProcessRef[], signal: Signal): void {
  for (const ref of processes) {
    if (isSameProcess(ref)) send(ref.pid, signal)
  }
}

/** Signals the process group of a run's agent. */
export function signalGroup({ pid }: ProcessRef, signal: Signal): void {
  send(-pid, signal)
}

/** Signals all living processes of a run and returns them. */
export function signalTree(tree: Tree, signal: Signal): readonly ProcessRef[] {
  const found = findTree(tree)
  signalProcesses(found, signal)
  if (!hasProc && tree.root !== null) send(-tree.root.pid, signal)
  return found
}

/** Sends terminate, and kill after a grace period, until nothing is left. */
export async function endTree(
  tree: Tree,
  { known = [], graceMs }: Ending,
): Promise<{ readonly found: number; readonly left: number }> {
  if (!hasProc) return endGroup(tree, graceMs)
  const met = new Map(known.map(ref => [keyOf(ref), ref]))
  const alive = () => {
    for (const ref of findTree(tree)) met.set(keyOf(ref), ref)
    return [...met.values()].filter(isSameProcess)
  }

  const first = alive()
  if (first.length === 0) return { found: 0, left: 0 }
  signalProcesses(first, 'SIGTERM')
  const stubborn = await waitUntilGone(alive, graceMs)
  if (stubborn.length === 0) return { found: met.size, left: 0 }
  const left = await waitUntilGone(() => {
    const rest = alive()
    signalProcesses(rest, 'SIGKILL')
    return rest
  }, KILL_BOUND_MS)
  return { found: met.size, left: left.length }
}

/** Lists again until nothing new appears, so that a process that forks and ends meanwhile cannot hide its child. */
function readAll(except: ReadonlySet<number> = new Set()): ReadonlyMap<number, ProcessInfo> {
  const seen = new Set(except)
  const all = new Map<number, ProcessInfo>()
  for (let i = 0; i < MAX_LISTINGS; i += 1) {
    const fresh = listPids().filter(pid => !seen.has(pid))
    if (fresh.length === 0) break
    for (const pid of fresh) {
      seen.add(pid)
      const info = pid === process.pid ? null : readProcess(pid)
      if (info !== null) all.set(pid, info)
    }
  }
  return all
}

function belongs(info: ProcessInfo, tree: Tree): boolean {
  const { root } = tree
  if (root === null) return carriesMarker(info.pid, tree.marker)
  if (isOlder(info, root)) return false
  if (info.pid === root.pid) return info.startTime === root.startTime
  // The system does not reuse a pid while it still names a group or a session.
  if (info.group === root.pid || info.session === root.pid) return true
  return carriesMarker(info.pid, tree.marker)
}

function isOlder(info: ProcessRef, root: ProcessRef): boolean {
  return Number(info.startTime) < Number(root.startTime)
}

function addDescendants(found: Map<number, ProcessInfo>, all: ReadonlyMap<number, ProcessInfo>) {
  const childrenOf = Map.groupBy(all.values(), info => info.parent)
  const open = [...found.keys()]
  for (let pid = open.pop(); pid !== undefined; pid = open.pop()) {
    for (const child of childrenOf.get(pid) ?? []) {
      if (found.has(child.pid)) continue
      found.set(child.pid, child)
      open.push(child.pid)
    }
  }
}

async function waitUntilGone(
  alive: () => readonly ProcessRef[],
  boundMs: number,
): Promise<readonly ProcessRef[]> {
  const deadline = performance.now() + boundMs
  for (let pauseMs = 2; ; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
    await new Promise(resolve => setTimeout(resolve, pauseMs))
    const left = alive()
    if (left.length === 0 || performance.now() > deadline) return left
  }
}

async function endGroup(tree: Tree, graceMs: number) {
  if (tree.root === null || !send(-tree.root.pid, 'SIGTERM')) return { found: 0, left: 0 }
  const group = -tree.root.pid
  const alive = () => (send(group, 0) ? [{ pid: group, startTime: '' }] : [])
  if ((await waitUntilGone(alive, graceMs)).length === 0) return { found: 1, left: 0 }
  send(group, 'SIGKILL')
  return { found: 1, left: (await waitUntilGone(alive, KILL_BOUND_MS)).length }
}

function send(pid: number, signal: Signal | 0): boolean {
  try {
    return process.kill(pid, signal)
  } catch {
    return false // It has ended, or we may not signal it.
  }
}

function keyOf(ref: ProcessRef): string {
  return `${ref.pid}:${ref.startTime}`
}
