// Opens a file in the editor of the user and waits until they leave it.
import { spawn } from 'node:child_process'
import { RepriseError } from '../../errors.ts'
import type { Io } from '../start/io.ts'

/** `$VISUAL`, else `$EDITOR`, else vi. Either may have arguments, such as `code --wait`; no shell reads them. */
export async function openEditor(io: Io, path: string): Promise<void> {
  const editor = io.env.VISUAL || io.env.EDITOR || 'vi'
  const [program = 'vi', ...args] = editor.trim().split(/\s+/)
  const child = spawn(program, [...args, path], { env: io.env, cwd: io.cwd, stdio: 'inherit' })
  const code = await new Promise<number | null>(resolve => {
    child.once('error', () => resolve(127))
    child.once('exit', resolve)
  })
  if (code === 0) return
  const how = code === null ? 'was ended by a signal' : `ended with ${code}`
  throw new RepriseError(
    'bad-input',
    `the editor \`${editor}\` ${how}; nothing was changed`,
    `Set VISUAL or EDITOR to your editor. Your version is in ${path}.`,
  )
}
