// Outputs that a trimmed conversation names by path: a directory for each thread, which agents may read and which goes with it.
import type { Dependencies } from '../dependencies.ts'

export function outputsDir(hiddenDir: string, threadId: string): string {
  return `${hiddenDir}/outputs/${threadId}`
}

/** For the sandbox of a run; empty where nothing was kept for its thread. */
export async function readableOutputs(
  { files, hiddenDir }: Dependencies,
  threadId: string,
): Promise<readonly string[]> {
  const directory = outputsDir(hiddenDir, threadId)
  return (await files.stat(directory)) ? [directory] : []
}

/** The directory by its own name, and by the one that it has without links: an agent needs leave for both. */
export async function namesOfOutputs(
  dependencies: Dependencies,
  threadId: string,
): Promise<readonly string[]> {
  const [directory] = await readableOutputs(dependencies, threadId)
  if (directory === undefined) return []
  const real = await dependencies.files.realpath(directory)
  return real === null ? [directory] : [...new Set([directory, real])]
}

export async function removeOutputs(
  { fileWriter, hiddenDir }: Dependencies,
  threadId: string,
): Promise<void> {
  await fileWriter?.remove(outputsDir(hiddenDir, threadId))
}

/** Removes what is left of threads that were removed on another host, or by a process that died in between. */
export async function sweepOutputs(dependencies: Dependencies): Promise<void> {
  const { files, hiddenDir, store } = dependencies
  const threadIds = (await files.list(`${hiddenDir}/outputs`)) ?? []
  for (const id of await store.removedThreads(threadIds)) await removeOutputs(dependencies, id)
}
