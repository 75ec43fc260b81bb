// Opens an address in the browser of the user, with the program of the system for that.
import { spawn } from 'node:child_process'
import type { Io } from '../start/io.ts'

/** False when the system has no such program. */
export function openBrowser(io: Io, url: string): Promise<boolean> {
  const opener = process.platform === 'darwin' ? 'open' : 'xdg-open'
  return new Promise(resolve => {
    const child = spawn(opener, [url], { env: io.env, stdio: 'ignore', detached: true })
    child.once('error', () => resolve(false))
    child.once('spawn', () => {
      child.unref()
      resolve(true)
    })
  })
}
