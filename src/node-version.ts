// Refuses a Node that is too old. The public entries import this file first: on Node 20 a later import ends the process.
import { RepriseError } from './errors.ts'

const OLDEST = [22, 18] as const

refuseOldNode(process.versions.node)

export function refuseOldNode(version: string): void {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  if (major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1])) return
  throw new RepriseError(
    'node-too-old',
    `reprise needs Node ${OLDEST.join('.')} or newer; this is ${version}`,
    `Install Node ${OLDEST.join('.')} or newer and start your program with it.`,
  )
}
