// What a file holds, in a word.
import { hashText } from '../../core/hash-text.ts'
import type { Dependencies } from '../dependencies.ts'

/** `null`: there is no such file. */
export async function contentHash(
  { files }: Pick<Dependencies, 'files'>,
  path: string,
): Promise<string | null> {
  const bytes = await files.read(path)
  return bytes && hashText(Buffer.from(bytes).toString('latin1'))
}
