// reprise demo: a tour with the built-in fake agent, in a data directory that is thrown away.
import { RepriseError } from '../../errors.ts'
import type { JsonFlag } from '../flags.ts'
import type { Io } from '../io.ts'

export async function demo(_io: Io, _flags: JsonFlag): Promise<number> {
  throw new RepriseError('internal', 'the demo is not there yet', 'use `reprise send`')
}
