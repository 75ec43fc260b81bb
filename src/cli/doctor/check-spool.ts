// Finds events that waited on disk while the database was away and could not be stored afterwards.
import { join } from 'node:path'
import { Spool } from '../../spool/spool.ts'
import type { Diagnosis } from './finding.ts'

export function checkSpool(home: string): readonly Diagnosis[] {
  return new Spool(join(home, 'spool')).keptOut().map(({ path, reason }) => ({
    check: 'spool',
    state: 'warn',
    detail: `events in ${path} were not stored: ${reason}`,
    hint: `read them if you miss them, then remove the file: rm ${path}`,
  }))
}
