// The programs that build sandboxes, by absolute path: an agent's PATH must not choose them.
import { accessSync, constants, readFileSync } from 'node:fs'
import { isAbsolute, join } from 'node:path'

const TOOLS = ['bwrap', 'env', 'sh', 'setpriv', 'unshare', 'mount', 'mkdir', 'cp'] as const

type Tool = (typeof TOOLS)[number]

/** `null`: not installed. */
export type Tools = Readonly<Record<Tool, string | null>>

/** What decides which flags a sandbox needs. */
export type Privilege = 'user' | 'root' | 'root-without-mount'

const SYSTEM_PATH = ['/usr/local/bin', '/usr/bin', '/bin', '/usr/sbin', '/sbin']
const CAP_SYS_ADMIN = 21n

/** Searches the system's directories first, then our own PATH, for systems that keep programs elsewhere. */
export function findTools(path = process.env.PATH ?? ''): Tools {
  const places = [...SYSTEM_PATH, ...path.split(':').filter(isAbsolute)]
  const found = TOOLS.map(name => [name, places.map(at => join(at, name)).find(isProgram) ?? null])
  return Object.fromEntries(found)
}

export function ownPrivilege(): Privilege {
  if (process.getuid?.() !== 0) return 'user'
  const status = readFileSync('/proc/self/status', 'utf8')
  const effective = BigInt(`0x${/^CapEff:\s*([0-9a-f]+)/m.exec(status)?.[1] ?? '0'}`)
  return (effective >> CAP_SYS_ADMIN) & 1n ? 'root' : 'root-without-mount'
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
