// reprise demo: a tour with the built-in fake agent, in a temporary data directory.

import type { JsonFlag } from '../flags/flags.ts'
import type { Io } from '../start/io.ts'
import { printJson } from '../view/print.ts'
import { createStage } from './stage.ts'
import { tour } from './tour.ts'

export async function demo(io: Io, flags: JsonFlag): Promise<number> {
  const stage = await createStage(io)
  const stopListening = io.onStopRequest(() => {
    void stage.remove().finally(() => io.exitNow(5))
  })
  try {
    const quiet: Io = { ...io, stdout: { write: () => {} } }
    const steps = await tour(flags.json ? quiet : io, stage)
    if (flags.json) printJson(io, { steps })
    return 0
  } finally {
    stopListening()
    await stage.remove()
  }
}
