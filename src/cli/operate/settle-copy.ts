// In the copy of a store, no process runs any more: runs that were going are ended there as interrupted, and can be resumed.
import { join } from 'node:path'
import type { Config } from '../../config/config.ts'
import type { Violation } from '../../core/violation.ts'
import { RepriseError } from '../../errors.ts'
import type { RepriseOptions } from '../../reprise-options.ts'
import { openReprise } from '../open/open-reprise.ts'
import type { Io } from '../start/io.ts'
import { progressBar } from '../view/progress-bar.ts'

type Runner = NonNullable<NonNullable<RepriseOptions['dependencies']>['runner']>

const refuse = async (): Promise<never> => {
  throw new RepriseError('conflict', 'no agent runs on a copy', 'Restore the backup first.')
}

/** Above all, it ends no processes: those of the runs are at work for the store that was copied. */
const NO_PROCESSES: Runner = {
  start: refuse,
  probe: refuse,
  testSandbox: refuse,
  endLeftovers: async () => 0,
}

/** Gives what `verify` finds in the copy. */
export async function settleCopy(
  io: Io,
  config: Config,
  staging: string,
): Promise<readonly Violation[]> {
  const path = join(staging, 'reprise.db')
  const copied: Config = { ...config, home: staging, database: { kind: 'file', path, place: path } }
  const reprise = openReprise(copied, io, {
    dependencies: { isAlive: () => false, runner: NO_PROCESSES },
  })
  try {
    return await reprise.verify({ onProgress: progressBar(io, 'verify', 'rules') })
  } finally {
    await reprise.close()
  }
}
