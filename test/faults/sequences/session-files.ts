// Files of a world: what happens to the agents' session files behind everybody's back, and what an agent leaves on its way.
import { join } from 'node:path'
import type { World } from './world.ts'

const MAX_WAITS = 2_000

/** One of them, chosen by the remainder of `pick`. */
export async function changeFile(
  { files, root }: World,
  pick: number,
  change: (path: string) => Promise<void>,
): Promise<void> {
  const projects = join(root, 'config', 'projects')
  const paths: string[] = []
  for (const project of ((await files.list(projects)) ?? []).toSorted()) {
    const names = (await files.list(join(projects, project))) ?? []
    paths.push(...names.map(name => join(projects, project, name)))
  }
  const path = paths[pick % paths.length]
  if (path) await change(path)
}

/** As a machine does that stops in the middle of a write. */
export async function tearFile({ files }: World, path: string): Promise<void> {
  const bytes = (await files.read(path)) ?? new Uint8Array()
  const lastLine = bytes.lastIndexOf(10, bytes.length - 2) + 1
  const middle = lastLine + Math.ceil((bytes.length - lastLine) / 2)
  await files.write(path, bytes.subarray(0, middle))
}

/** Until the agent has come to the step that leaves it. */
export async function waitForFile({ files, pause }: World, path: string): Promise<void> {
  for (let waits = 0; (await files.stat(path)) === null; waits++) {
    if (waits > MAX_WAITS) throw new Error(`the agent did not get to ${path}`)
    await pause()
  }
}
