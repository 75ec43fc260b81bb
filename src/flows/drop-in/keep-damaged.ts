// Keeps a damaged session file beside its place, byte by byte, before a whole one takes its place.
import type { Dependencies } from '../dependencies.ts'

const MOST_KEPT = 100

/** False when the file cannot be read or kept; it must stay as it is then. */
export async function keepDamaged(
  { files, fileWriter }: Dependencies,
  path: string,
): Promise<boolean> {
  const bytes = await files.read(path)
  if (bytes === null || !fileWriter) return false
  for (let count = 1; count <= MOST_KEPT; count += 1) {
    const beside = `${path}.damaged${count === 1 ? '' : `-${count}`}`
    const kept = await files.read(beside)
    if (kept === null) await fileWriter.write(beside, bytes)
    if (kept === null || Buffer.from(kept).equals(bytes)) return true
  }
  return false
}
